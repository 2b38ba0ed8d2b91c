// What happened, month by month, and what became of it: remembered, merged into others, faded.

import { tellProblem } from "../actions.js";
import { button, el, empty, userText } from "../dom.js";
import { count } from "../words.js";

const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const PAGE = 200;
const LISTED = 5;

export async function view(context) {
  const months = el("ol", { class: "timeline" });
  const known = new Map();
  let cursor = null;
  const grow = async () => {
    const page = await context.being.get("/nodes", { limit: PAGE, cursor });
    ({ cursor } = page);
    for (const node of page.nodes) take(context, months, known, node);
    more.hidden = cursor === null;
  };
  const more = button("Show earlier months", () => grow().catch(tellProblem), { class: "more" });
  await grow();
  return [
    el("h1", {}, "Timeline"),
    el("p", { class: "lead" }, "When memories came, what was strongest in them, and what has become of them since."),
    known.size ? [months, more] : empty("There are no memories yet. Talk that was handed in is under Talk."),
  ];
}

/** The month in which a memory's scene happened, else that in which it came: 2026-03. */
const monthOf = (node) => {
  const first = node.scene.when?.[0];
  const dated = (typeof first === "string" ? first : first?.date) ?? "";
  return /^\d{4}-\d{2}/.test(dated) ? dated.slice(0, 7) : node.created_at.slice(0, 7);
};

const KINDS = [
  ["remembered", "remembered", (node) => node.status !== "dead"],
  ["merged", "merged into another", (node) => node.absorbed_into !== null],
  ["faded", "faded, or was forgotten", () => true],
];

function take(context, months, known, node) {
  const name = monthOf(node);
  let month = known.get(name);
  if (!month) {
    month = made(context, name);
    known.set(name, month);
    const later = [...months.children].find((one) => one.dataset.month < name);
    months.insertBefore(month.place, later ?? null);
  }
  const [kind] = KINDS.find(([, , fits]) => fits(node));
  month.take(kind, node);
}

function made(context, name) {
  const groups = Object.fromEntries(KINDS.map(([kind, label]) => [kind, group(context, kind, label)]));
  const told = el("p", { class: "hint" });
  const place = el(
    "li",
    { "data-month": name },
    el("h2", {}, el("time", { datetime: name }, MONTH.format(new Date(`${name}-15T12:00:00`)))),
    told,
    Object.values(groups).map((one) => one.place),
  );
  const take = (kind, node) => {
    groups[kind].take(node);
    told.textContent = KINDS.filter(([one]) => groups[one].size())
      .map(([one, label]) => `${count(groups[one].size(), "memory", "memories")} ${label}`)
      .join(" · ");
  };
  return { place, take };
}

/** The memories of a month that share a fate: the strongest that are remembered stand open, the others can be opened. */
function group(context, kind, label) {
  const nodes = [];
  const list = el("ol", { class: "lines" });
  const heading = el("summary", {});
  const place = el("details", { class: kind, hidden: true, open: kind === "remembered" }, heading, list);
  const line = (node) =>
    el(
      "li",
      {},
      el("a", { href: context.link("memory", node.node_id) }, userText(node.scene.action)),
      node.absorbed_into
        ? el("span", { class: "hint" }, el("a", { href: context.link("memory", node.absorbed_into) }, "the memory that took it in"))
        : null,
    );
  const rest = button("Show all of the month", () => draw(nodes.length), { class: "more" });
  let drawn = LISTED;
  const draw = (most) => {
    drawn = most;
    nodes.sort((a, b) => b.importance - a.importance);
    list.replaceChildren(...nodes.slice(0, drawn).map(line));
    if (nodes.length > drawn) place.append(rest);
    else rest.remove();
  };
  let waiting = false;
  const take = (node) => {
    nodes.push(node);
    place.hidden = false;
    heading.textContent = `${count(nodes.length, "memory", "memories")} ${label}`;
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      draw(drawn);
    });
  };
  return { place, take, size: () => nodes.length };
}
