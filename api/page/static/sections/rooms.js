// Rooms: the lines of a conversation among several Beings, with the members present at each, and this Being's absences.

import { change } from "../actions.js";
import { ask } from "../api.js";
import { askInDialog, button, el, empty, userText } from "../dom.js";
import { paged } from "../paged.js";
import { count, derivedAgain, list, moment } from "../words.js";

export async function view(context) {
  return context.ids.length ? room(context) : rooms(context);
}

const get = (context, path) => ask("GET", `/v1/rooms${path}`, { signal: context.being.signal });

async function rooms(context) {
  const found = (await get(context, "")).rooms;
  const row = (one) =>
    el(
      "li",
      { "data-id": one.room_id },
      el("a", { href: context.link("rooms", one.room_id) }, userText(one.name)),
      el("span", { class: "hint" }, userText(list([...one.beings, ...one.people]))),
    );
  return [
    el("h1", {}, "Rooms"),
    found.length
      ? el("ol", { class: "lines reading rooms" }, found.map(row))
      : empty("There is no room in which several Beings take part."),
  ];
}

async function room(context) {
  const [id] = context.ids;
  const { slug, name } = context.being.row;
  const lines = el("ol", { class: "talk" });
  let heard = 0;
  let shown = 0;
  const told = el("p", { class: "lead" });
  const [detail, more] = await Promise.all([
    get(context, `/${id}`),
    paged(
      context,
      "lines",
      lines,
      (query) => get(context, `/${id}/messages?${new URLSearchParams({ limit: 100, ...query })}`),
      (page) => {
        shown += page.messages.length;
        heard += page.messages.filter((one) => one.present.includes(slug)).length;
        told.replaceChildren(userText(name), ` was there at ${heard} of ${count(shown, "line")}.`);
        return page.messages.map((one) => line(context, id, one));
      },
    ),
  ]);
  return [
    el("p", {}, el("a", { href: context.link("rooms"), class: "back" }, "← Rooms")),
    userText(detail.name, "h1"),
    el("p", { class: "hint" }, "Takes part: ", userText(list([...detail.beings, ...detail.people]))),
    told,
    lines.childElementCount ? [lines, more] : empty("Nothing has been said here yet."),
    context.manages && !context.login.being_id
      ? el("p", {}, button("Remove this room …", () => remove(context, detail), { class: "danger quiet" }))
      : null,
  ];
}

async function remove(context, { room_id, name }) {
  const given = await askInDialog(
    "Remove this room?",
    el(
      "p",
      {},
      userText(name, "strong"),
      " is listed no more, and nothing more is taken in for it. What each Being heard there stays its own. This can’t be undone.",
    ),
    { confirm: "Remove it", danger: true },
  );
  if (!given) return;
  await change("Removed. What each Being heard there stays its own.", () => ask("DELETE", `/v1/rooms/${room_id}`), null, {
    leave: () => context.go("rooms"),
  });
}

const again = ({ rebuilds }) => derivedAgain(rebuilds);

function line(context, id, said) {
  const { row } = context.being;
  const ids = { ids: [said.message_id] };
  const post = (what) => () => ask("POST", `/v1/rooms/${id}/messages/${what}`, { body: ids });
  const gap = !said.present.includes(row.slug);
  const by = said.speaker ?? (said.role === "user" ? context.login.user : "someone");
  return el(
    "li",
    { class: gap ? "gap" : said.role, "data-id": said.message_id },
    el(
      "span",
      { class: "hint" },
      userText(by),
      ` · ${moment(said.created_at)} · there: `,
      userText(list(said.present)),
      gap ? [" · ", el("span", { class: "chip retracted" }, userText(row.name), " was not there")] : null,
    ),
    userText(said.content, "p"),
    context.ingests
      ? el(
          "div",
          { class: "buttons" },
          button(
            "Retract for all",
            () =>
              change((answer) => `Retracted for all that heard it. ${again(answer)}`, post("retract"), post("restore"), {
                stays: again,
              }),
            { class: "quiet" },
          ),
        )
      : null,
  );
}
