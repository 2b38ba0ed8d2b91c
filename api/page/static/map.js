// The map of a Being's topics: memories as strong as their effective importance, and those that would fade in the next patrols.

import { change, tellProblem } from "./actions.js";
import { askInDialog, button, el, field, fill, userText, visible } from "./dom.js";
import { Drawing } from "./drawing.js";
import { grouped, heightFor, isFading, laidOut, rootsOf, strength } from "./layout.js";
import { muteButton, mutesOf } from "./mutes.js";
import { count, fading, share } from "./words.js";

const FURTHEST = 60;
const LISTED = 30;
const PAUSE_MS = 120;

/** All topics, and all memories in few words: with `{ dead: true }` also dead ones. */
export async function everything(being, query = {}) {
  let answer = await being.get("/map", query);
  const nodes = [...answer.nodes];
  while (answer.cursor) {
    answer = await being.get("/map", { ...query, cursor: answer.cursor });
    nodes.push(...answer.nodes);
  }
  return { clusters: answer.clusters, nodes };
}

export async function view(context) {
  const { being } = context;
  const { clusters, nodes } = await everything(being);
  const groups = grouped(clusters, nodes);
  const living = nodes.length;
  if (!living) {
    const { beforeMemories } = await import("./sections/start.js");
    return beforeMemories(context);
  }
  const canvas = el("canvas", {
    class: "drawing",
    role: "img",
    "aria-label": `Map of ${count(living, "memory", "memories")} in ${count(groups.length, "topic")}; the list beside it has them all.`,
  });
  const labels = el("div", { class: "labels", "aria-hidden": "true" });
  const tip = el("div", { class: "tip", hidden: true });
  const chart = el("div", { class: "chart" }, canvas, labels, tip);
  const drawing = new Drawing(canvas);
  chart.drawing = drawing;
  const place = () => {
    if (!chart.isConnected) return;
    const high = heightFor(groups, canvas.clientWidth);
    canvas.style.height = high === null ? "" : `${high}px`;
    const { width, height } = canvas.getBoundingClientRect();
    const map = laidOut(groups, width, height);
    drawing.show(map);
    if (!chart.dataset.drawn) performance.mark("map drawn");
    chart.dataset.drawn = "yes";
    fill(
      labels,
      map.discs.map((disc) => {
        const label = el("span", { dir: "auto" }, visible(disc.group.cluster.name));
        label.style.left = `${disc.x}px`;
        label.style.top = `${disc.y - disc.r - 3}px`;
        label.style.maxWidth = `${disc.wide - 8}px`;
        return label;
      }),
    );
  };
  new ResizeObserver(place).observe(chart);
  const again = () => drawing.map.discs.length && place();
  window.addEventListener("preferences", again, { signal: context.signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again, { signal: context.signal });
  handlePointer(context, canvas, drawing, tip);
  return [
    el(
      "div",
      { class: "heading" },
      el("h1", {}, userText(being.row.name)),
      el(
        "p",
        { class: "lead" },
        `${count(living, "memory", "memories")} in ${count(groups.filter((group) => !group.cluster.is_parent).length, "topic")}. The stronger, the fuller and nearer to the middle.`,
      ),
    ),
    el(
      "div",
      { class: "map" },
      el("section", { "aria-label": "Map" }, legend(clusters, groups), chart, lookAhead(context, drawing, nodes)),
      topics(context, groups),
    ),
  ];
}

/** The legend of the map's colours and shapes. */
function legend(clusters, groups) {
  const names = new Map(clusters.map((cluster) => [cluster.cluster_id, cluster.name]));
  const key = (shape, label) => el("li", {}, el("span", { class: `key ${shape}`, "aria-hidden": "true" }), label);
  return el(
    "ul",
    { class: "legend" },
    rootsOf(groups).map((root, at) => key(at % 2 ? "two" : "one", userText(names.get(root)))),
    key("hollow", "fading away"),
    key("ring", "pinned"),
  );
}

/** Pointer and touch on the map: a line about the memory, and its page. A finger hides its place: its first tap shows the line. */
function handlePointer(context, canvas, drawing, tip) {
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    return drawing.at(event.clientX - box.left, event.clientY - box.top);
  };
  const show = (seed) => {
    drawing.mark(seed);
    tip.hidden = !seed;
    if (!seed) return;
    fill(
      tip,
      userText(seed.node.action, "strong"),
      el(
        "span",
        {},
        `${fading(seed.node)} · strength ${share(seed.node.effective_importance)} of ${share(seed.node.importance)}`,
      ),
    );
    tip.style.left = `${Math.min(Math.max(seed.x, 130), canvas.clientWidth - 130)}px`;
    tip.style.top = `${seed.y + 14}px`;
  };
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const seed = under(event);
    show(seed);
    canvas.style.cursor = seed ? "pointer" : "";
  });
  canvas.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && show(null));
  canvas.addEventListener("click", (event) => {
    const seed = under(event);
    if (seed && (event.pointerType !== "touch" || seed === drawing.marked)) context.go("memory", seed.node.node_id);
    else show(seed);
  });
}

/** The slider that moves ahead by patrols. The API's own forecast gives the memories that fade. */
function lookAhead(context, drawing, nodes) {
  const range = el("input", { type: "range", min: 0, max: FURTHEST, value: 0, step: 1, name: "ahead" });
  const told = el("output", { class: "ahead-told" });
  const list = el("ol", { class: "lines" });
  const next = button("Show more", () => listPage(cursor), { class: "more", hidden: true });
  const which = el("details", {}, el("summary", {}, "Which ones"), list, next);
  const line = (node) =>
    el(
      "li",
      {},
      el("a", { href: context.link("memory", node.node_id) }, userText(node.scene.action)),
      el("span", { class: "hint" }, fading(node)),
    );
  // The forecast lists the memories that fade beside these.
  const today = nodes.filter((node) => isFading(node, 0)).length;
  let cursor = null;
  let asking = 0;
  /** List a page of the forecast for where the slider stands. An answer for where it stood before is dropped. */
  const listPage = async (from) => {
    const patrols = Number(range.value);
    try {
      const found = await context.being.get("/fading", { patrols, limit: 50, cursor: from });
      if (Number(range.value) !== patrols) return;
      if (from === null) fill(list);
      list.append(...found.nodes.map(line));
      ({ cursor } = found);
      next.hidden = cursor === null;
      list.dataset.patrols = patrols;
      which.hidden = !list.childElementCount;
    } catch (problem) {
      if (problem.name !== "AbortError") fill(told, problem.message);
    }
  };
  const look = () => {
    const patrols = Number(range.value);
    const faded = nodes.filter((node) => isFading(node, patrols)).length;
    range.setAttribute("aria-valuetext", count(patrols, "patrol"));
    drawing.look(patrols);
    fill(
      told,
      patrols
        ? `In ${count(patrols, "patrol")} without a recall, ${count(faded - today, "more memory", "more memories")} would fade: ${faded} in all.`
        : `Today ${count(today, "memory", "memories")} ${today === 1 ? "is" : "are"} fading away.`,
    );
    clearTimeout(asking);
    asking = setTimeout(() => listPage(null), PAUSE_MS);
  };
  range.addEventListener("input", look);
  look();
  return el("div", { class: "ahead" }, el("div", { class: "bar" }, field("Look ahead", range), told), which);
}

/** The topics with their memories, for the keyboard, for small screens and for screen readers. */
function topics(context, groups) {
  const order = [...groups].sort((a, b) => b.nodes.length - a.nodes.length);
  return el(
    "section",
    { class: "topics", "aria-labelledby": "topics-title" },
    el("h2", { id: "topics-title" }, "Topics"),
    order.map((group) => {
      const list = el("ol", { class: "lines" });
      const parts = el(
        "details",
        { class: "topic" },
        el(
          "summary",
          {},
          userText(group.cluster.name),
          el("span", { class: "hint" }, count(group.nodes.length, "memory", "memories")),
        ),
      );
      parts.addEventListener("toggle", () => {
        if (parts.open && !list.childElementCount) fillTopic(context, parts, list, group);
      });
      parts.append(list);
      return parts;
    }),
  );
}

function fillTopic(context, parts, list, group) {
  const rest = group.nodes.slice(LISTED);
  const line = (node) =>
    el(
      "li",
      {},
      meter(node),
      el("a", { href: context.link("memory", node.node_id) }, userText(node.action)),
      el("span", { class: "hint" }, fading(node)),
    );
  fill(list, group.nodes.slice(0, LISTED).map(line));
  if (rest.length) {
    const more = button(`Show ${rest.length} more`, () => {
      list.append(...rest.map(line));
      more.remove();
    });
    parts.append(more);
  }
  if (context.manages && !group.cluster.is_parent) {
    parts.append(button("Rename the topic", () => rename(context, group.cluster), { class: "quiet" }));
    mutesOf(context)
      .then((mutes) => parts.append(muteButton(context, mutes, "topic", group.cluster.cluster_id)))
      .catch(tellProblem);
  }
}

async function rename(context, cluster) {
  const name = el("input", { name: "name", value: cluster.name, required: true, dir: "auto", autocomplete: "off" });
  const given = await askInDialog("Rename the topic", field("Name", name));
  if (!given) return;
  const path = `/clusters/${cluster.cluster_id}`;
  await change(
    "Topic renamed.",
    () => context.being.patch(path, { name: given.name }),
    () => context.being.patch(path, { name: cluster.name }),
    { stays: "It counts as named by you, so that no model names it again." },
  );
}

/** A memory's strength as a small bar. */
export function meter(node) {
  const bar = el("span", { class: `meter ${node.status}`, "aria-hidden": "true" }, el("span", {}));
  bar.firstChild.style.width = `${Math.round(100 * Math.min(1, node.effective_importance ?? strength(node, 0)))}%`;
  return bar;
}
