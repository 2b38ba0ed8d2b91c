// Month by month: the events in it, and which memories were merged into others or faded in it.

import { button, el, empty, userText } from "../dom.js";
import { everything } from "../map.js";
import { count, day } from "../words.js";

const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const MONTHS = 12;
const LISTED = 5;

export async function view(context) {
  const { nodes } = await everything(context.being, { dead: true });
  const found = byMonth(nodes);
  const names = [...found.keys()].sort().reverse();
  const actions = new Map(nodes.map((node) => [node.node_id, node.action]));
  const list = el("ol", { class: "timeline" });
  const grow = () => {
    list.append(...names.splice(0, MONTHS).map((name) => month(context, name, found.get(name), actions)));
    more.hidden = !names.length;
  };
  const more = button("Show earlier months", grow, { class: "more" });
  grow();
  return [
    el("h1", {}, "Timeline"),
    el("p", { class: "lead" }, "What happened in each month, the strongest first, and which memories were merged or faded in it."),
    nodes.length ? [list, more] : empty("There are no memories yet. Talk that was handed in is under Talk."),
  ];
}

/** The month in which a memory's scene happened, else that in which it came: 2026-03. */
const happenedIn = (node) => (/^\d{4}-\d{2}/.test(node.when ?? "") ? node.when : node.created_at).slice(0, 7);

/** The month of this place's calendar in which a memory reached its present state: 2026-03. */
function changedIn(node) {
  const at = new Date(node.changed_at ?? node.created_at);
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}`;
}

/** For each month the memories of its events, without those that live on in another, and whose turn came in it. */
function byMonth(nodes) {
  const months = new Map();
  const put = (name, kind, node) => {
    if (!months.has(name)) months.set(name, { happened: [], merged: [], faded: [] });
    months.get(name)[kind].push(node);
  };
  for (const node of nodes) {
    if (node.absorbed_into) {
      put(changedIn(node), "merged", node);
      continue;
    }
    put(happenedIn(node), "happened", node);
    if (node.status !== "active") put(changedIn(node), "faded", node);
  }
  return months;
}

const strongest = (a, b) => b.importance - a.importance;
const latest = (a, b) => new Date(b.changed_at) - new Date(a.changed_at);

function month(context, name, { happened, merged, faded }, actions) {
  const into = (node) => [
    `on ${day(node.changed_at)}, into `,
    el("a", { href: context.link("memory", node.absorbed_into) }, userText(actions.get(node.absorbed_into) ?? "another one")),
  ];
  return el(
    "li",
    { "data-month": name },
    el("h2", {}, el("time", { datetime: name }, MONTH.format(new Date(`${name}-15T12:00:00`)))),
    group(context, "happened", happened.sort(strongest), (amount) => `${count(amount, "memory", "memories")} of what happened`, fate),
    group(context, "merged", merged.sort(latest), (amount) => `${count(amount, "memory was", "memories were")} merged into others`, into),
    group(context, "faded", faded.sort(latest), (amount) => `${count(amount, "memory", "memories")} faded`, fate),
  );
}

/** The present state of a memory that is not as strong as ever. */
function fate(node) {
  if (node.status === "active") return null;
  const on = node.changed_at ? ` ${node.status === "dying" ? "since" : "on"} ${day(node.changed_at)}` : "";
  if (node.status === "dying") return `fading away${on}`;
  return `${node.forgotten_at ? "forgotten" : "let go"}${on}`;
}

/** Memories under a heading: those of the month's events stand open. The first ones, and the others at the press of a button. */
function group(context, kind, nodes, heading, hint) {
  if (!nodes.length) return null;
  const line = (node) => {
    const told = hint(node);
    return el(
      "li",
      { "data-id": node.node_id },
      el("a", { href: context.link("memory", node.node_id) }, userText(node.action)),
      told && el("span", { class: "hint" }, told),
    );
  };
  const list = el("ol", { class: "lines" }, nodes.slice(0, LISTED).map(line));
  const rest = button(
    "Show all of the month",
    () => {
      list.append(...nodes.slice(LISTED).map(line));
      rest.remove();
    },
    { class: "more" },
  );
  return el(
    "details",
    { class: kind, open: kind === "happened" },
    el("summary", {}, heading(nodes.length)),
    list,
    nodes.length > LISTED ? rest : null,
  );
}
