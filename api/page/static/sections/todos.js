// Todos and promises, below the facts.

import { change } from "../actions.js";
import { confidenceButton } from "./confidences.js";
import { button, el, empty, fill, userText } from "../dom.js";
import { choice, paged } from "../paged.js";
import { day } from "../words.js";

const STATES = [
  ["OPEN", "Open"],
  ["DONE", "Done"],
  ["ARCHIVED", "Archived"],
];
const ACTIONS = [
  ["OPEN", "Reopen", "Open again."],
  ["DONE", "Done", "Done."],
  ["ARCHIVED", "Archive", "Archived."],
];
let status = "OPEN";

/** The todos of the chosen state, with their heading. */
export async function todoList(context) {
  const todos = el("div", { class: "todos" });
  const show = async () => {
    const list = el("ol", { class: "cards" });
    const more = await paged(
      context,
      `todos ${status}`,
      list,
      (query) => context.being.get("/todos", { status, limit: 100, ...query }),
      (page) => page.todos.map((todo) => el("li", { "data-id": todo.todo_id }, card(context, todo))),
    );
    fill(todos, list.childElementCount ? [list, more] : empty("There are none."));
  };
  await show();
  const chosen = choice("State of the todos", STATES, { name: "todos", value: status }, (value) => {
    status = value;
    return show();
  });
  return [el("h2", {}, "Todos and promises"), el("div", { class: "choices" }, chosen), todos];
}

function card(context, todo) {
  const path = `/todos/${todo.todo_id}`;
  const set = (values) => () => context.being.patch(path, values);
  return [
    userText(todo.content, "p"),
    el(
      "p",
      { class: "hint" },
      todo.kind,
      todo.due ? [" · ", userText(todo.due)] : null,
      ` · ${day(todo.created_at)}`,
      todo.in_confidence ? " · in confidence" : null,
    ),
    context.manages
      ? el(
          "div",
          { class: "buttons" },
          ACTIONS.filter(([to]) => to !== todo.status).map(([to, label, told]) =>
            button(label, () => change(told, set({ status: to }), set({ status: todo.status }))),
          ),
          confidenceButton(todo.in_confidence, set),
        )
      : null,
  ];
}
