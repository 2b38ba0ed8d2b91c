// Talk, a conversation at a time. Messages can be retracted, which takes them out of the memory, and restored.

import { change } from "../actions.js";
import { confidenceButton } from "./confidences.js";
import { muteButton, mutesOf } from "../mutes.js";
import { askInDialog, button, el, empty, userText } from "../dom.js";
import { paged } from "../paged.js";
import { conversationButton, panel } from "../record.js";
import { count, day, derivedAgain, moment, speaker } from "../words.js";

export async function view(context) {
  return context.ids.length ? session(context) : sessions(context);
}

async function sessions(context) {
  const { being } = context;
  // Another page or program may have put it off the record.
  Object.assign(being.row, await being.get(""));
  const list = el("ol", { class: "lines reading sessions" });
  const taken = el("ol", { class: "talk" });
  const row = (one) =>
    el(
      "li",
      { "data-id": one.session_id },
      el(
        "a",
        { href: context.link("talk", one.session_id) },
        userText(one.one_liner || one.first_words || "A conversation without words"),
      ),
      el(
        "span",
        { class: "hint" },
        moment(one.started_at),
        ` · ${count(one.turn_count, "turn")}`,
        one.ended_at ? "" : " · still open",
        one.conversation ? [" · ", userText(one.conversation)] : null,
      ),
    );
  const mutes = new Map();
  const [moreSessions, moreTaken] = await Promise.all([
    paged(
      context,
      "sessions",
      list,
      (query) => being.get("/sessions", { limit: 100, ...query }),
      (page) => page.sessions.map(row),
    ),
    paged(
      context,
      "taken",
      taken,
      (query) => being.get("/retracted-messages", { limit: 100, ...query }),
      (page) => page.messages.map((message) => line(context, message, true, mutes)),
    ),
  ]);
  return [
    el("h1", {}, "Talk"),
    list.childElementCount
      ? [list, moreSessions]
      : [
          empty("Nothing has been said yet."),
          el("p", {}, el("a", { href: context.link("start") }, "Import earlier talk, or connect the program that you talk with")),
        ],
    el("h2", {}, "Retracted"),
    taken.childElementCount ? [taken, moreTaken] : empty("No message was retracted."),
    panel(context),
  ];
}

async function session(context) {
  const path = `/sessions/${context.ids[0]}`;
  const list = el("ol", { class: "talk" });
  const mutes = await mutesOf(context);
  const [detail, more] = await Promise.all([
    context.being.get(path),
    paged(
      context,
      "messages",
      list,
      (query) => context.being.get(`${path}/messages`, { limit: 100, ...query }),
      (page) => page.messages.map((message) => line(context, message, false, mutes)),
    ),
  ]);
  const { summary } = detail;
  return [
    el("p", {}, el("a", { href: context.link("talk"), class: "back" }, "← Talk")),
    summary ? userText(summary.one_liner, "h1") : el("h1", {}, `Talk of ${day(detail.started_at)}`),
    el("p", { class: "lead" }, `${moment(detail.started_at)} · ${count(detail.turn_count, "turn")}`),
    detail.conversation
      ? el(
          "div",
          { class: "buttons" },
          muteButton(context, mutes, "conversation", detail.conversation),
          context.manages ? conversationButton(context, detail.conversation) : null,
        )
      : null,
    summary && (summary.what_mattered.length || summary.tone)
      ? el(
          "section",
          { class: "next" },
          el("h2", {}, "What mattered"),
          el(
            "ul",
            {},
            summary.what_mattered.map((point) => userText(point, "li")),
          ),
          summary.tone ? el("p", { class: "hint" }, userText(summary.tone)) : null,
        )
      : null,
    list,
    more,
  ];
}

// The data that workers derive again after a message was retracted or restored, from the answer.
const again = ({ rebuilds }) => derivedAgain(rebuilds);
const nowRetracted = (answer) => `Retracted: it counts as never said. ${again(answer)}`;
const standsAgain = (answer) => `It stands again. ${again(answer)}`;

function line(context, message, taken, mutes) {
  const ids = { ids: [message.message_id] };
  const retract = () => context.being.post("/messages/retract", ids);
  const restore = () => context.being.post("/messages/restore", ids);
  const set = (values) => () => context.being.patch(`/messages/${message.message_id}`, values);
  return el(
    "li",
    { class: taken ? "retracted" : message.role, "data-id": message.message_id },
    el(
      "span",
      { class: "hint" },
      userText(speaker(context, message)),
      ` · ${moment(message.created_at)}`,
      taken ? [" · ", el("span", { class: "chip retracted" }, "retracted")] : null,
      message.in_confidence ? " · in confidence" : null,
    ),
    userText(message.content, "p"),
    el(
      "div",
      { class: "buttons" },
      context.ingests && !taken
        ? button("Retract", () => change(nowRetracted, retract, restore, { stays: again }), { class: "quiet" })
        : null,
      context.manages && !taken ? confidenceButton(message.in_confidence, set) : null,
      taken ? null : muteButton(context, mutes, "message", message.message_id),
      context.ingests && taken ? button("Restore", () => change(standsAgain, restore, retract, { stays: again })) : null,
      context.manages ? button("Erase …", () => erase(context, message), { class: "danger quiet" }) : null,
    ),
  );
}

async function erase(context, message) {
  const path = `/messages/${message.message_id}`;
  const gone = await context.being.get(`${path}/erasure`);
  const given = await askInDialog(
    "Erase this message for good?",
    [
      userText(message.content, "blockquote"),
      el(
        "p",
        {},
        "This can’t be undone, and the same words are refused if they are sent again. Retracting it can be undone. These would go or change:",
      ),
      el(
        "ul",
        { class: "preview" },
        el("li", {}, count(gone.messages, "message")),
        el("li", {}, count(gone.scenes, "memory", "memories"), " drawn from it"),
        el(
          "li",
          {},
          `${count(gone.facts_removed.length, "fact")} without other evidence; ${gone.facts_changed.length} changed`,
        ),
        el("li", {}, `${count(gone.todos_removed.length, "todo")}; ${gone.todos_reopened.length} reopened`),
      ),
    ],
    { confirm: "Erase for good", danger: true },
  );
  if (given) await change("Erased for good.", () => context.being.delete(path), null);
}
