// Numbers, dates, names and spans of time as people read them.

const DAY = { day: "numeric", month: "short" };
const TIME = { hour: "2-digit", minute: "2-digit" };
const DIARY_DAY = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" };
const MONEY = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD", maximumFractionDigits: 4 });
const formats = new Map();

/** Write a date, with its year where it is not this year's. */
function written(when, form) {
  const options = when.getFullYear() === new Date().getFullYear() ? form : { ...form, year: "numeric" };
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(undefined, options));
  return formats.get(key).format(when);
}

export const day = (when) => (when ? written(new Date(when), DAY) : "–");
export const moment = (when) => (when ? written(new Date(when), { ...DAY, ...TIME }) : "–");
/** A calendar day such as 2026-03-02, which has no time zone. */
export const date = (text) => written(new Date(`${text}T00:00:00Z`), DIARY_DAY);
export const money = (amount) => (amount === null ? "unknown" : MONEY.format(Number(amount)));
export const number = (value) => new Intl.NumberFormat().format(value);
export const share = (value) => Number(value).toFixed(2);

/** "1 patrol", "3 patrols". */
export function count(amount, one, many = `${one}s`) {
  return `${number(amount)} ${amount === 1 ? one : many}`;
}

/** "a, b and c". */
export const list = (texts) => new Intl.ListFormat("en-GB", { type: "conjunction" }).format(texts);

/** The speaker of a message, by name: the user's and the Being's names replace the roles. */
export function speaker(context, said) {
  if (said.speaker && said.speaker !== said.role) return said.speaker;
  return { user: context.login.user, assistant: context.being.row.name }[said.role] ?? said.role;
}

/** A reference such as `person:aunt_odile` as a name. */
export const nameOf = (reference) => reference.split(":").pop().replaceAll("_", " ");

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

/** The data that workers derive again after messages were retracted, restored or erased, and when. */
export function derivedAgain(rebuilds) {
  const parts = [
    rebuilds.messages && `facts from ${count(rebuilds.messages, "message")}`,
    rebuilds.summaries && count(rebuilds.summaries, "conversation’s summary", "conversations’ summaries"),
    rebuilds.scenes && `memories of ${count(rebuilds.scenes, "scene")}`,
    rebuilds.rolling_summary && "the summary of late",
    rebuilds.spine && "the summary of what you have told",
  ].filter(Boolean);
  if (!parts.length) return "Nothing had been derived from it.";
  return `Derived again in the background, as soon as a model is available: ${list(parts)}.`;
}
