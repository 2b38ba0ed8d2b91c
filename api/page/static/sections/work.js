// Background work that failed for good: why, and once more.

import { change } from "../actions.js";
import { ask } from "../api.js";
import { button, el, empty, visible } from "../dom.js";
import { paged } from "../paged.js";
import { count, moment } from "../words.js";

export async function view(context) {
  const list = async (state, shown) => {
    const into = el("ol", { class: `cards ${state}` });
    const load = (query) =>
      ask("GET", `/v1/work?${new URLSearchParams({ state, limit: 50, ...query })}`, { signal: context.signal });
    const more = await paged(context, state, into, load, (page) =>
      page.work.map((work) => el("li", { "data-id": work.work_id }, card(shown, work))),
    );
    return into.childElementCount ? [into, more] : null;
  };
  const reading = { ...context, manages: false };
  const [dead, running, waiting, away] = await Promise.all([
    list("dead", context),
    list("running", reading),
    list("ready", reading),
    providersAway(context),
  ]);
  return [
    el("h1", {}, "Work"),
    el("p", { class: "lead" }, "What the system does in the background for the Beings that this token opens."),
    away.map((one) => el("p", { class: "lead" }, visible(one))),
    el("h2", {}, "Failed for good"),
    dead ?? empty("No work has failed."),
    running ? [el("h2", {}, "Running"), running] : null,
    el("h2", {}, "Waiting"),
    waiting ?? empty("Nothing waits."),
  ];
}

// What needs a model waits meanwhile, and nothing is lost. Where the check itself fails, the rest of the page says more.
async function providersAway(context) {
  const found = await ask("GET", "/health/work", { signal: context.signal }).catch(() => ({ away: [] }));
  return found.away.map(({ provider, whose, since }) => {
    const key = whose === "platform" ? "the platform’s key" : "keys of users";
    return `The language models of ${provider} have been away for ${key} since ${moment(since)}. What needs them waits, and is done when they are back.`;
  });
}

function card(context, work) {
  return [
    el(
      "p",
      {},
      el("strong", {}, work.kind),
      " ",
      el("span", { class: work.state === "dead" ? "chip bad" : "chip" }, work.state),
    ),
    work.error ? el("p", {}, visible(work.error)) : null,
    el(
      "p",
      { class: "hint" },
      `${count(work.attempts, "attempt")} · ${work.state === "dead" ? "since" : "next at"} ${moment(work.finished_at ?? work.next_at)}`,
    ),
    context.manages
      ? el(
          "div",
          { class: "buttons" },
          button(
            "Try again",
            () => change("It is tried again.", () => ask("POST", `/v1/work/${work.work_id}/replay`), null),
            { class: "primary" },
          ),
        )
      : null,
  ];
}
