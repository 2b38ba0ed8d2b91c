// Off the record: until further notice no message to a Being, or in one of its conversations, is kept.

import { change } from "./actions.js";
import { button, el, userText } from "./dom.js";

/** Change whether a Being or a conversation is off the record; the page that is shown has the Being's row. */
async function set({ being }, values) {
  Object.assign(being.row, await being.patch("", values));
}

function turn(context, off) {
  const way = (off_the_record) => () => set(context, { off_the_record });
  return change(off ? "Off the record: nothing is kept." : "On the record again: what is said is kept.", way(off), way(!off));
}

function turnConversation(context, name, off) {
  const way = (wanted) => () => set(context, { off_the_record_in: { [name]: wanted } });
  const label = off ? "This conversation is off the record: nothing of it is kept." : "This conversation is on the record again.";
  return change(label, way(off), way(!off));
}

/** The notice on every page while nothing is kept; null else. */
export function notice(context) {
  const { row } = context.being;
  if (!row.off_the_record) return null;
  return el(
    "p",
    { class: "off-the-record" },
    el("strong", {}, "Off the record. "),
    "Memory is read, and nothing is kept of what is said to ",
    userText(row.name),
    ". ",
    context.manages ? button("Go on the record", () => turn(context, false)) : null,
  );
}

/** The switch of the Being, and the conversations that are off the record. */
export function panel(context) {
  const { row } = context.being;
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, "Off the record"),
    el(
      "p",
      {},
      row.off_the_record
        ? "Until further notice no word of the talk is kept."
        : "You can talk for a while so that no word of it is kept: memory is read, and nothing is added to it.",
    ),
    context.manages && !row.off_the_record ? button("Go off the record", () => turn(context, true)) : null,
    row.off_the_record_in.length
      ? [
          el("p", {}, "Of these conversations nothing is kept:"),
          el(
            "ul",
            { class: "lines" },
            row.off_the_record_in.map((name) =>
              el("li", {}, userText(name), " ", context.manages ? conversationButton(context, name) : null),
            ),
          ),
        ]
      : null,
  );
}

/** The switch of one conversation. */
export function conversationButton(context, name) {
  const off = context.being.row.off_the_record_in.includes(name);
  return button(off ? "Put it on the record" : "Off the record from now on", () => turnConversation(context, name, !off));
}
