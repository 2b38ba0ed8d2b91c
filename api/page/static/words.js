// Numbers, dates and spans of time as people read them.

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const MOMENT = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const LONG = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });
const MONEY = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 4 });

export const day = (when) => (when ? DAY.format(new Date(when)) : "–");
export const moment = (when) => (when ? MOMENT.format(new Date(when)) : "–");
/** A calendar day such as 2026-03-02, which has no time zone. */
export const date = (text) => LONG.format(new Date(`${text}T00:00:00Z`));
export const money = (amount) => (amount === null ? "unknown" : MONEY.format(Number(amount)));
export const number = (value) => new Intl.NumberFormat().format(value);
export const share = (value) => Number(value).toFixed(2);

/** "1 patrol", "3 patrols". */
export function count(amount, one, many = `${one}s`) {
  return `${number(amount)} ${amount === 1 ? one : many}`;
}

/** A memory's state in one word. */
export function state(node) {
  if (node.forgotten_at) return "forgotten";
  if (node.absorbed_into) return "absorbed";
  return node.pinned ? "pinned" : node.status;
}

/** When a memory will fade, in words. */
export function fading(node) {
  if (node.pinned) return "kept from fading";
  if (node.status === "dead") return "no longer remembered";
  if (node.status === "dying" || node.patrols_left <= 0) return "fading away";
  return `fades in ${count(node.patrols_left, "patrol")}`;
}
