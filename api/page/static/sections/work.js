// Background work that failed for good: why, and once more.

import { change } from "../actions.js";
import { ask } from "../api.js";
import { button, el, empty, visible } from "../dom.js";
import { paged } from "../paged.js";
import { count, moment } from "../words.js";

// The texts for the kinds of work.
const KINDS = {
  "patrol.due": "Begin a patrol",
  "patrol.embed": "Patrol: make memories of notes",
  "patrol.assign": "Patrol: find the topics of memories",
  "patrol.session_counts": "Patrol: let memories age",
  "patrol.dying": "Patrol: let memories fade",
  "patrol.consolidate": "Patrol: merge memories, and let go",
  "patrol.revive": "Patrol: revive memories",
  "patrol.split": "Patrol: make topics",
  "patrol.merge": "Patrol: join small topics",
  "patrol.diary": "Patrol: write the diary",
  "shadow.judge": "Read messages for facts",
  "rolling.summarise": "Summarise the latest talk",
  "session_close.summarise": "Summarise a conversation",
  "session_close.summarise_short": "Summarise short conversations",
  "upkeep.reembed": "Compare memories by a new model",
  "upkeep.embed_facts": "Make facts findable by meaning",
  "upkeep.curate": "Tidy the facts",
  "upkeep.compare_seeds": "Compare facts that were added",
  "upkeep.spine": "Summarise all talk",
  "upkeep.activate": "Note which memories were recalled",
  "session_close.deliver_due": "Tell programs what comes due",
  "ingest.index_words": "Make what was told findable by words",
  "upkeep.embed_told": "Make what was told findable by meaning",
  "upkeep.date_told": "Date what was told before times were kept",
  "upkeep.index_vectors": "Speed up the search",
  "upkeep.clean_streams": "Clear away what was erased",
};
const STATES = { dead: "failed for good", running: "running", ready: "waiting" };
// The class of a fault, as the ledger names it before its text, as a person would say it.
const FAULTS = {
  Misconfigured: "A setting or a key is wrong",
  Unavailable: "The database or a provider did not answer",
  ProviderError: "The model’s provider refused",
};

/** The reason of a failure, with the fault's class in words where it is one that a person can mend. */
function reason(error) {
  const [, fault, rest] = error.match(/^(\w+)(?:: ?|$)([^]*)/) ?? [];
  return fault in FAULTS ? [FAULTS[fault], rest].filter(Boolean).join(": ") : error;
}

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

// Work that needs a model waits meanwhile, and nothing is lost. Where the check itself fails, the rest of the page says more.
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
      el("strong", {}, KINDS[work.kind] ?? work.kind),
      " ",
      el("span", { class: work.state === "dead" ? "chip bad" : "chip" }, STATES[work.state] ?? work.state),
    ),
    work.error ? el("p", {}, visible(reason(work.error))) : null,
    el(
      "p",
      { class: "hint" },
      el("code", {}, work.kind),
      ` · ${count(work.attempts, "attempt")} · ${work.state === "dead" ? "since" : "next at"} ${moment(work.finished_at ?? work.next_at)}`,
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
