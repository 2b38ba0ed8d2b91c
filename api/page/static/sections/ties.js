// Which people and things belong together: those that one fact names. A drawing for the eye, and the same as a list in
// which each tie leads to the other end.

import { button, el, empty, userText, visible } from "../dom.js";
import { count, nameOf } from "../words.js";

const PAGE = 200;
const PAGES = 5;
// A drawing: its size, its ring, how many names stand on it, and how many letters of one have room beside it.
const WIDE = { wide: 800, high: 520, ring: 190, names: 24, letters: 17 };
const NARROW = { wide: 400, high: 260, ring: 70, names: 12, letters: 10 };

/** The section of ties; `labels` has the names of entities by their references. */
export async function ties(context, labels) {
  const { facts, whole } = await lately(context.being);
  const graph = tied(facts);
  if (!graph.size) return [el("h2", {}, "What belongs together"), empty("No fact names two of them yet.")];
  const name = (ref) => visible(labels.get(ref) ?? nameOf(ref));
  const order = walked(graph);
  const places = new Map();
  const open = (ref) => {
    const place = places.get(ref);
    place.open = true;
    place.firstChild.focus();
    place.scrollIntoView({ block: "nearest" });
  };
  for (const ref of order) places.set(ref, entry(context, graph, ref, name, open));
  return [
    el("h2", {}, "What belongs together"),
    el(
      "p",
      { class: "lead" },
      `${count(graph.size, "name")} that facts name together${whole ? "" : `, in the newest ${count(facts.length, "fact")}`}. Each tie leads to its other end.`,
    ),
    el("div", { class: "ties" }, drawn(graph, order, name, open), el("div", {}, [...places.values()])),
  ];
}

async function lately(being) {
  const facts = [];
  let cursor = null;
  for (let page = 0; page < PAGES; page += 1) {
    const found = await being.get("/facts", { status: "ACTIVE", limit: PAGE, cursor });
    facts.push(...found.facts);
    ({ cursor } = found);
    if (cursor === null) break;
  }
  return { facts, whole: cursor === null };
}

/** For each reference the others that a fact names beside it, with these facts. */
function tied(facts) {
  const graph = new Map();
  const tie = (from, to, fact) => {
    if (!graph.has(from)) graph.set(from, new Map());
    const others = graph.get(from);
    others.set(to, [...(others.get(to) ?? []), fact]);
  };
  for (const fact of facts)
    for (const from of fact.entity_refs) for (const to of fact.entity_refs) if (from !== to) tie(from, to, fact);
  return graph;
}

/** The references in the order of a walk along the ties, beginning with those that have most: neighbours stand close. */
function walked(graph) {
  const waiting = [...graph.keys()].sort((a, b) => graph.get(b).size - graph.get(a).size);
  const seen = new Set();
  while (waiting.length) {
    const ref = waiting.shift();
    if (seen.has(ref)) continue;
    seen.add(ref);
    waiting.unshift(...graph.get(ref).keys());
  }
  return [...seen];
}

/** One name in the list: its ties, each with the facts that make it. */
function entry(context, graph, ref, name, open) {
  const others = [...graph.get(ref)].sort((a, b) => b[1].length - a[1].length);
  return el(
    "details",
    { class: "tie", "data-id": ref },
    el("summary", {}, userText(name(ref)), el("span", { class: "hint" }, ` with ${count(others.length, "other")}`)),
    el(
      "ol",
      { class: "lines" },
      others.map(([other, facts]) =>
        el(
          "li",
          {},
          button(["→ ", userText(name(other))], () => open(other), { class: "link" }),
          facts.map((fact) =>
            el("span", { class: "hint" }, el("a", { href: context.link("facts", fact.fact_id) }, userText(fact.content))),
          ),
        ),
      ),
    ),
  );
}

function shape(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The names on a ring, with a line for each tie, the thicker the more facts. */
function drawn(graph, order, name, open) {
  const { wide, high, ring, names: most, letters } = matchMedia("(max-width: 800px)").matches ? NARROW : WIDE;
  const refs = order.slice(0, most);
  const [middle, centre] = [wide / 2, high / 2];
  const at = new Map(
    refs.map((ref, place) => {
      const turn = (2 * Math.PI * place) / refs.length - Math.PI / 2;
      return [ref, { x: middle + ring * Math.cos(turn), y: centre + ring * Math.sin(turn), turn }];
    }),
  );
  const lines = refs.flatMap((from, place) =>
    [...graph.get(from)]
      .filter(([to]) => refs.indexOf(to) > place)
      .map(([to, facts]) => {
        const [a, b] = [at.get(from), at.get(to)];
        return shape("path", {
          d: `M${a.x} ${a.y}Q${middle} ${centre} ${b.x} ${b.y}`,
          "stroke-width": Math.min(6, facts.length),
        });
      }),
  );
  const names = refs.map((ref) => {
    const { x, y, turn } = at.get(ref);
    const right = Math.cos(turn) > 0.1;
    const left = Math.cos(turn) < -0.1;
    const text = name(ref);
    const group = shape(
      "g",
      {},
      shape("circle", { cx: x, cy: y, r: 4 + Math.min(6, graph.get(ref).size) }),
      shape(
        "text",
        {
          x: x + (right ? 14 : left ? -14 : 0),
          y: y + (right || left ? 5 : Math.sin(turn) > 0 ? 28 : -18),
          "text-anchor": right ? "start" : left ? "end" : "middle",
        },
        text.length > letters ? `${text.slice(0, letters - 1)}…` : text,
      ),
    );
    group.addEventListener("click", () => open(ref));
    return group;
  });
  const label = `Ties between ${count(refs.length, "name")}; the list has them all.`;
  return shape("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label }, ...lines, ...names);
}
