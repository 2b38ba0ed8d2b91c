// Mutes: the switch on each thing, and the list of muted things.

import { change } from "./actions.js";
import { button, el, empty, userText } from "./dom.js";
import { paged } from "./paged.js";
import { count, day, nameOf } from "./words.js";

const KINDS = {
  fact: "fact",
  node: "memory",
  topic: "topic",
  entity: "person or thing",
  conversation: "conversation",
  message: "message",
};

/** The ids of all mutes, by `KIND TARGET`; none for who may not mute. */
export async function mutesOf(context) {
  const found = new Map();
  if (!context.manages) return found;
  let query = { limit: 100 };
  while (query) {
    const page = await context.being.get("/mutes", query);
    for (const one of page.mutes) found.set(`${one.kind} ${one.target}`, one.mute_id);
    query = page.cursor && { limit: 100, cursor: page.cursor };
  }
  return found;
}

const muting = (context, kind, target) => () => context.being.post("/mutes", { kind, target });
const lifting = (context, id) => () => context.being.delete(`/mutes/${id}`);

/** Mutes a thing, or lifts its mute; null for who may not. */
export function muteButton(context, mutes, kind, target) {
  if (!context.manages) return null;
  const id = mutes.get(`${kind} ${target}`);
  const mute = muting(context, kind, target);
  return id
    ? button("Unmute", () => change("It may be brought up again.", lifting(context, id), mute), { class: "quiet" })
    : button(
        "Mute",
        () => change("Muted: it is kept, and not brought up.", mute, (made) => lifting(context, made.mute_id)()),
        { class: "quiet" },
      );
}

/** `muted`: the list. */
export async function view(context) {
  const list = el("ol", { class: "cards mutes" });
  const more = await paged(
    context,
    "mutes",
    list,
    (query) => context.being.get("/mutes", { limit: 100, ...query }),
    (page) => page.mutes.map((one) => el("li", { "data-id": one.mute_id }, card(context, one))),
  );
  return [
    el("h1", {}, "Muted"),
    el("p", { class: "lead" }, "What is kept, and not brought up. A search here still finds it."),
    list.childElementCount ? [list, more] : empty("Nothing is muted. A button beside each thing mutes it."),
  ];
}

function card(context, one) {
  return [
    userText(one.label || nameOf(one.target), "p"),
    el("p", { class: "hint" }, `${KINDS[one.kind]} · since ${day(one.muted_at)} · ${count(one.items, "item")}`),
    el("div", { class: "buttons" }, muteButton(context, new Map([[`${one.kind} ${one.target}`, one.mute_id]]), one.kind, one.target)),
  ];
}
