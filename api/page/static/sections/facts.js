// Facts about the user with the words that they rest on, edited in place.

import { IN_STORY, change } from "../actions.js";
import { confidenceButton } from "./confidences.js";
import { askInDialog, button, el, empty, field, fill, pairs, userText, visible } from "../dom.js";
import { promptsShowing } from "../memory.js";
import { choice, paged } from "../paged.js";
import { muteButton, mutesOf } from "../mutes.js";
import { todoList } from "./todos.js";
import { count, day, moment, nameOf } from "../words.js";

const TYPES = [
  ["", "All"],
  ["PROFILE", "The user"],
  ["PEOPLE", "People"],
  ["PROJECT", "Projects"],
];
const STATES = [
  ["ACTIVE", "Active"],
  ["ARCHIVED", "Archived"],
];
const EVENTS = {
  born: () => "became known",
  weighed: (detail) => `weighs ${detail.to} of 3 now, before ${detail.from}`,
  archived: (detail) => (detail.into ? "was archived: another fact says it too" : "was archived"),
  restored: () => "was restored",
  pinned: () => "was pinned",
  unpinned: () => "was unpinned",
};
const filters = { type: "", status: "ACTIVE" };

/** `facts`, `facts/of/ENTITY`, or `facts/ID`. */
export async function view(context) {
  return context.ids.length === 1 ? one(context) : all(context, context.ids[1]);
}

async function all(context, entity) {
  const { being } = context;
  const facts = el("div", { class: "facts" });
  const mutes = await mutesOf(context);
  const showFacts = async () => {
    const list = el("ol", { class: "cards" });
    const { type, status } = filters;
    const more = await paged(
      context,
      `facts ${type} ${status}`,
      list,
      (query) => being.get("/facts", { type, status, entity, limit: 100, ...query }),
      (page) => page.facts.map((fact) => el("li", { "data-id": fact.fact_id }, card(context, fact, mutes))),
    );
    fill(
      facts,
      list.childElementCount
        ? [list, more]
        : empty("None. Facts are extracted from messages by a model, or added here."),
    );
  };
  const choose = (name, options, label) =>
    choice(label, options, { name, value: filters[name] }, (value) => {
      filters[name] = value;
      return showFacts();
    });
  const [todos] = await Promise.all([entity ? null : todoList(context), showFacts()]);
  return [
    entity ? el("p", {}, el("a", { href: context.link("facts"), class: "back" }, "← Facts")) : null,
    el("h1", {}, entity ? ["Facts about ", userText(nameOf(entity))] : "Facts"),
    el("p", { class: "lead" }, "What is known about the user, each with the words it rests on."),
    el(
      "div",
      { class: "choices" },
      choose("type", TYPES, "About"),
      choose("status", STATES, "State"),
      context.manages && !entity ? button("Add a fact", () => add(context)) : null,
    ),
    facts,
    todos,
  ];
}

function card(context, fact, mutes) {
  return [
    el("p", {}, el("a", { href: context.link("facts", fact.fact_id) }, userText(fact.content))),
    el(
      "p",
      { class: "hint" },
      userText(fact.entity_label),
      ` · told ${count(fact.mentions, "time")}, last on ${day(fact.last_told_at)}`,
      fact.pinned ? [" · ", el("strong", { class: "chip" }, "pinned")] : null,
      fact.being_id ? " · in confidence" : null,
      fact.status === "ARCHIVED" ? [" · ", el("span", { class: "chip ARCHIVED" }, "archived")] : null,
    ),
    actionButtons(context, fact, mutes),
  ];
}

function actionButtons(context, fact, mutes) {
  if (!context.manages) return null;
  const path = `/facts/${fact.fact_id}`;
  const set = (values) => () => context.being.patch(path, values);
  return el(
    "div",
    { class: "buttons" },
    button("Edit", (event) => edit(context, fact, event.target)),
    button(fact.pinned ? "Unpin" : "Pin", () =>
      change(
        fact.pinned ? "Unpinned." : "Pinned: it is in every prompt.",
        set({ pinned: !fact.pinned }),
        set({ pinned: fact.pinned }),
        IN_STORY,
      ),
    ),
    confidenceButton(fact.being_id, set),
    muteButton(context, mutes, "fact", fact.fact_id),
    fact.status === "ACTIVE"
      ? button("Archive", () => change("Archived.", set({ status: "ARCHIVED" }), set({ status: "ACTIVE" }), IN_STORY))
      : button("Restore", () => change("Restored.", set({ status: "ACTIVE" }), set({ status: "ARCHIVED" }), IN_STORY)),
    button("Erase …", () => erase(context, fact), { class: "danger quiet" }),
  );
}

/** Edit in place: the text becomes a field where it stands. */
function edit(context, fact, from) {
  const place = from.closest(".buttons");
  const text = el("textarea", { rows: 2, dir: "auto", required: true, maxlength: 500 });
  text.value = fact.content;
  const form = el(
    "form",
    {},
    field("The fact, in one statement", text),
    el(
      "div",
      { class: "buttons" },
      el("button", { type: "submit", class: "primary" }, "Save"),
      button("Cancel", () => {
        form.replaceWith(place);
        place.querySelector("button").focus();
      }),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const path = `/facts/${fact.fact_id}`;
    if (text.value === fact.content) return form.replaceWith(place);
    await change(
      "Corrected.",
      () => context.being.patch(path, { content: text.value }),
      () => context.being.patch(path, { content: fact.content }),
      { stays: "It says what it said before; both corrections stay in its story, and its quotations below the first one." },
    );
  });
  form.addEventListener(
    "keydown",
    (event) => event.key === "Escape" && (form.replaceWith(place), place.querySelector("button").focus()),
  );
  place.replaceWith(form);
  text.focus();
}

async function erase(context, fact) {
  const detail = await context.being.get(`/facts/${fact.fact_id}`);
  const given = await askInDialog(
    "Erase this fact for good?",
    [
      userText(fact.content, "blockquote"),
      el("p", {}, "This can’t be undone; archiving can. These would go:"),
      el(
        "ul",
        { class: "preview" },
        el("li", {}, count(detail.statements.length, "statement")),
        el(
          "li",
          {},
          `${count(detail.statements.flatMap((one) => one.evidence).length, "quotation")}; the messages stay`,
        ),
      ),
    ],
    { confirm: "Erase for good", danger: true },
  );
  if (given)
    await change("Erased for good.", () => context.being.delete(`/facts/${fact.fact_id}`), null, {
      leave: context.ids.length === 1 ? () => context.go("facts") : null,
    });
}

async function add(context) {
  const content = el("textarea", { name: "content", rows: 2, required: true, dir: "auto", maxlength: 500 });
  const type = el(
    "select",
    { name: "type" },
    TYPES.slice(1).map(([value, label]) => el("option", { value }, label)),
  );
  const given = await askInDialog("Add a fact", [
    field("One statement in the third person", content),
    field("About", type),
  ]);
  if (!given) return;
  const label = (answer) =>
    answer.facts ? "Added." : answer.told_again ? "Added to a fact that was known." : "This was known.";
  const back = (answer) => Promise.all(answer.fact_ids.map((id) => context.being.delete(`/facts/${id}`)));
  await change(
    label,
    () => context.being.post("/facts", [{ type: given.type, content: given.content }]),
    back,
    { changed: (answer) => answer.facts > 0 },
  );
}

/** The history of a fact, oldest first: its events, and each statement that replaced others. */
function story(detail) {
  const events = detail.history.map((event) => ({
    at: event.happened_at,
    words: (EVENTS[event.event] ?? (() => visible(event.event)))(event.detail),
  }));
  for (const statement of detail.statements) {
    const before = detail.statements.filter((one) => one.replaced_by === statement.statement_id);
    if (before.length)
      events.push({
        at: statement.created_at,
        words: [
          statement.evidence.length ? "was told anew: " : "was corrected: ",
          before.map((one) => [userText(one.content, "s"), " "]),
          userText(statement.content),
        ],
      });
  }
  return events.sort((a, b) => new Date(a.at) - new Date(b.at));
}

async function one(context) {
  const id = context.ids[0];
  const [detail, prompts, mutes] = await Promise.all([
    context.being.get(`/facts/${id}`),
    promptsShowing(context, id),
    mutesOf(context),
  ]);
  const { fact } = detail;
  return [
    el("p", {}, el("a", { href: context.link("facts"), class: "back" }, "← Facts")),
    el(
      "article",
      { class: "reading" },
      userText(fact.content, "h1"),
      actionButtons(context, fact, mutes),
      pairs(
        ["About", userText(fact.entity_label)],
        ["Importance", `${fact.importance} of 3`],
        ["Known to", fact.being_id ? "this Being alone, in confidence" : "all of the user’s Beings"],
        ["Told", `${count(fact.mentions, "time")}${fact.sessions ? ` in ${count(fact.sessions, "conversation")}` : ""}`],
      ),
      el("h2", {}, "The words it rests on"),
      el(
        "ol",
        { class: "cards statements" },
        detail.statements.map((statement) =>
          el(
            "li",
            {},
            userText(statement.content, statement.replaced_by ? "s" : "p"),
            statement.replaced_by ? el("p", { class: "hint" }, "replaced by a later statement") : null,
            statement.evidence.map((evidence) =>
              el(
                "blockquote",
                {},
                userText(evidence.span),
                el(
                  "span",
                  { class: "hint" },
                  ` ${moment(evidence.told_at)}${evidence.message_id ? "" : ", handed in"}`,
                ),
              ),
            ),
          ),
        ),
      ),
      el("h2", {}, "Its story"),
      el(
        "ol",
        { class: "story" },
        story(detail).map(({ at, words }) => el("li", {}, el("time", { datetime: at }, moment(at)), el("span", {}, words))),
      ),
      prompts,
    ),
  ];
}
