// Changes that can be undone: each is shown in a line with a button that undoes it, until the page is closed.

import { button, el, fill } from "./dom.js";

const MOST = 50;
const SECONDS = 12;
const done = [];
let refresh = async () => {};
let hiding = 0;
let turn = Promise.resolve();

/** The option `stays` for a change whose every event is kept. */
export const IN_STORY = { stays: "What was done and undone stays in its story." };

/** Say how the page is shown anew after a change. */
export function refreshWith(show) {
  refresh = show;
}

/** Show the person a line, which is removed with the page that it is about. */
export function tell(text, ...more) {
  const told = document.getElementById("told");
  told.dataset.page = location.hash;
  fill(
    told,
    el(
      "div",
      { class: "toast" },
      el("span", {}, text),
      more,
      button("×", () => fill(told), { "aria-label": "Close", class: "quiet" }),
    ),
  );
  clearTimeout(hiding);
  hiding = setTimeout(() => fill(told), SECONDS * 1000);
}

/** Remove the lines that were shown on another page. */
export function leaveTold() {
  const told = document.getElementById("told");
  if (told.dataset.page !== location.hash) fill(told);
}

/** Show an error, unless a request was given up because the person went elsewhere. */
export function tellProblem(problem) {
  if (problem.name !== "AbortError") tell(problem.message);
}

/**
 * Carry out a change, and keep the function that undoes it.
 *
 * `way` returns a promise of an answer; `back(answer)` undoes it (null: final). `label` is a text, or makes one of the answer.
 *
 * Options: `changed(answer)` says whether there is anything to undo; `stays` names what undoing does not undo: a text, or made
 * of the answer to the undoing; `leave()` goes to another page, where the item that was shown is gone.
 */
export function change(label, way, back, options = {}) {
  return inTurn(() => carryOut(label, way, back, options));
}

/** One change or undoing after the other, so that "Undo" undoes a change that is still on its way. */
function inTurn(act) {
  turn = turn.then(act);
  return turn;
}

const worded = (text, answer) => (typeof text === "function" ? text(answer) : text);

async function carryOut(label, way, back, { changed = () => true, stays = "", leave = null }) {
  try {
    const answer = await way();
    leave?.();
    const text = worded(label, answer);
    if (back && changed(answer)) {
      done.push({ label: text.split(/[.:]/)[0], back: () => back(answer), stays });
      done.splice(0, done.length - MOST);
      window.dispatchEvent(new CustomEvent("undoable"));
      tell(text, button("Undo", undo, { class: "link" }));
    } else {
      tell(text);
    }
    if (!leave) await refresh();
    return answer;
  } catch (problem) {
    tellProblem(problem);
    return undefined;
  }
}

/** How many changes can be undone. */
export const undoable = () => done.length;

/** Undo the last change. */
export const undo = () => inTurn(undoLast);

async function undoLast() {
  const last = done.pop();
  window.dispatchEvent(new CustomEvent("undoable"));
  if (!last) return;
  try {
    const answer = await last.back();
    tell(`Undone: ${last.label}. ${worded(last.stays, answer)}`.trim());
    await refresh();
  } catch (problem) {
    tell(`Could not undo: ${problem.message}`);
  }
}

/** Nothing can be undone any more, at a logout. */
export function clearUndo() {
  done.length = 0;
  window.dispatchEvent(new CustomEvent("undoable"));
}
