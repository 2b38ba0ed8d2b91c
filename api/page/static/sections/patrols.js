// Patrols: their timeline, the memories that each merged, split, revived and let fade, and the running one as it runs.

import { tell, tellProblem } from "../actions.js";
import { button, el, empty, fill, visible } from "../dom.js";
import { count, moment } from "../words.js";

const POLL_MS = 700;
// The texts for a run's counts, for one and for several.
const COUNTS = {
  nodes: ["note became a memory", "notes became memories"],
  repaired: ["note was repaired", "notes were repaired"],
  parse_failed: ["note could not be parsed", "notes could not be parsed"],
  embed_failed: ["note could not be embedded", "notes could not be embedded"],
  matched: ["memory found its topic", "memories found their topics"],
  rooted: ["memory was put under a root", "memories were put under a root"],
  told: ["of them as a model said", "of them as a model said"],
  dying: ["began to fade away", "began to fade away"],
  merges: ["merge", "merges"],
  absorbed: ["memory was absorbed", "memories were absorbed"],
  let_go: ["was let go", "were let go"],
  left: ["topic is left for the next patrol", "topics are left for the next patrol"],
  revived: ["memory was revived", "memories were revived"],
  topics: ["new topic", "new topics"],
  moved: ["memory moved there", "memories moved there"],
  merged: ["small topic joined another", "small topics joined others"],
  lines: ["diary line", "diary lines"],
  notes: ["note for the next conversation", "notes for the next conversation"],
};
const over = (run) => run.state === "done" || run.state === "failed";

const STATES = { queued: "waiting", running: "running", failed: "failed" };
// The steps of a patrol, in words.
const STEPS = {
  embed: "make memories of notes",
  assign: "find their topics",
  session_counts: "let memories age",
  dying: "let memories fade",
  consolidate: "merge, and let go",
  revive: "revive",
  split: "make topics",
  merge: "join small topics",
  diary: "write the diary",
};

export async function view(context) {
  const list = el("ol", { class: "cards patrols", "aria-live": "polite", "aria-busy": "false" });
  // Newest first. Runs that were shown stay when newer ones push them off the first page.
  const known = new Map();
  const take = (page) => {
    for (const run of page.patrols) known.set(run.run_id, run);
    const runs = [...known.values()].sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
    fill(
      list,
      runs.map((run) => el("li", { "data-id": run.run_id, "data-state": run.state }, card(run, context.manages))),
    );
    return page;
  };
  const look = async () => take(await context.being.get("/patrols", { limit: 30 })).patrols;
  let cursor = null;
  const more = button(
    "Show more",
    async () => {
      try {
        ({ cursor } = take(await context.being.get("/patrols", { limit: 30, cursor })));
        more.hidden = cursor === null;
      } catch (problem) {
        tellProblem(problem);
      }
    },
    { class: "more" },
  );
  const follow = async () => {
    try {
      let runs = await look();
      while (runs.some((run) => !over(run)) && !context.signal.aborted) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        if (context.signal.aborted) return;
        runs = await look();
      }
    } catch (problem) {
      tellProblem(problem);
    }
  };
  const first = take(await context.being.get("/patrols", { limit: 30 }));
  const runs = first.patrols;
  cursor = first.cursor;
  more.hidden = cursor === null;
  if (runs.some((run) => !over(run))) follow();
  const start = button(
    "Run a patrol now",
    async () => {
      start.disabled = true;
      try {
        await context.being.post("/patrols");
        await follow();
      } catch (problem) {
        tell(problem.message);
      }
      start.disabled = false;
    },
    { class: "primary" },
  );
  return [
    el("h1", {}, "Patrols"),
    el(
      "p",
      { class: "lead" },
      "A patrol is a walk through the memory, once a day: it makes memories of what was handed in, lets all of them age a little, merges what is alike, and lets go of what is never recalled.",
    ),
    context.manages ? el("div", { class: "buttons" }, start) : null,
    list,
    more,
    runs.length ? null : empty("No patrol has run yet."),
  ];
}

function card(run, operates) {
  const counts = Object.entries(run.counts).filter(([, amount]) => amount);
  return [
    el(
      "p",
      {},
      el("strong", {}, moment(run.as_of ?? run.created_at)),
      " ",
      run.state === "done" ? null : el("span", { class: `chip ${run.state}` }, STATES[run.state] ?? run.state),
      run.demanded ? el("span", { class: "hint" }, " requested") : null,
    ),
    counts.length
      ? el(
          "p",
          { class: "hint counts" },
          counts
            .map(([name, amount]) =>
              count(amount, ...(COUNTS[name] ?? [name.replaceAll("_", " "), name.replaceAll("_", " ")])),
            )
            .join(" · "),
        )
      : null,
    over(run) && !counts.length ? el("p", { class: "hint" }, "Nothing was to be done.") : null,
    over(run) && !operates ? null : steps(run),
    operates ? reasons(run) : null,
    run.error ? el("p", { class: "trouble" }, visible(run.error)) : null,
  ];
}

/** The steps and their progress: of a run that is over only for operators. */
function steps(run) {
  const list = el(
    "ol",
    { class: "steps" },
    run.steps.map((step) =>
      el(
        "li",
        { "data-step": step.step, class: run.under_way?.step === step.step ? "now" : step.outcome === "done" && "done" },
        named(step),
      ),
    ),
  );
  return over(run) ? el("details", { class: "apart" }, el("summary", {}, "Steps"), list) : list;
}

const named = (step) => STEPS[step.step] ?? step.step.replaceAll("_", " ");

/** Why steps were skipped, or done in part or without a model: each reason with its steps. */
function reasons(run) {
  const steps = new Map();
  for (const step of run.steps)
    if (step.reason) steps.set(step.reason, [...(steps.get(step.reason) ?? []), named(step)]);
  return steps.size
    ? el(
        "p",
        { class: "hint reasons" },
        [...steps].map(([reason, names]) => `${visible(reason)}: ${names.join(", ")}`).join(" · "),
      )
    : null;
}
