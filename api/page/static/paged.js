// Lists that grow by pages, as the API's cursors give them, tables of them, and choices that filter them.

import { tellProblem } from "./actions.js";
import { button, el, field } from "./dom.js";

/**
 * A table that scrolls where it is wider than the screen, with its rows in `body`, or empty for rows to come.
 *
 * `columns` are names; those in `amounts` are of numbers, which stand below each other.
 */
export function table(label, columns, amounts, body = el("tbody")) {
  const head = columns.map((name) => el("th", { scope: "col", class: amounts.includes(name) && "amount" }, name));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    el("table", {}, el("thead", {}, el("tr", {}, head)), body),
  );
}

/**
 * Fill an element with the first page of a list; returns the button that adds the next, hidden where there is none.
 *
 * `load(query)` asks for a page: `query` is empty, or has its cursor. `lines(page)` makes its elements. The pages that a
 * person has opened are shown again after a change: `name` tells the lists of a section apart.
 */
export async function paged(context, name, into, load, lines) {
  let cursor = null;
  const grow = async () => {
    const page = await load(cursor === null ? {} : { cursor });
    const added = lines(page);
    into.append(...added);
    cursor = page.cursor;
    more.hidden = cursor === null;
    return added;
  };
  const more = button(
    "Show more",
    async () => {
      more.disabled = true;
      try {
        const [first] = await grow();
        context.opened[name] = (context.opened[name] ?? 1) + 1;
        if (more.hidden) first?.querySelector("a, button")?.focus();
      } catch (problem) {
        tellProblem(problem);
      }
      more.disabled = false;
    },
    { class: "more" },
  );
  await grow();
  for (let pages = 1; pages < (context.opened[name] ?? 1) && cursor !== null; pages += 1) await grow();
  return more;
}

/** A labelled choice between [value, text] pairs; `show(value)` lists the items of the chosen value. */
export function choice(label, options, { name, value }, show) {
  const select = el("select", { name });
  for (const [each, text] of options) select.append(el("option", { value: each, selected: each === value }, text));
  select.addEventListener("change", () => show(select.value).catch(tellProblem));
  return field(label, select);
}
