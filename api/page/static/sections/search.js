// Search as you type: the results, and the score that each signal added.

import { button, el, empty, field, fill, userText } from "../dom.js";
import { count, day, moment, share, speaker } from "../words.js";
import { askBox } from "./asking.js";

const KINDS = [
  ["message", "Talk"],
  ["node", "Memories"],
  ["fact", "Facts"],
  ["summary", "Summaries"],
  ["diary", "Diary"],
  ["knowledge", "Knowledge"],
  ["vault", "Vault"],
];
const PAUSE_MS = 180;
const FIRST = 20;
const MOST = 50;
const SIGNALS = {
  words: "Shares your words, there or close by",
  meaning: "Means something alike",
  around: "Stands where the talk is about it",
  all_words: "Has every word you typed",
  speaker: "Said by whom you name",
  mention: "Names it first, or last",
  question: "Only asks, and tells less",
  time: "From the time you name",
  recency: "Said lately",
  talk: "From a day of talk about it",
  session: "From a conversation about it",
  crowded: "One of many of the same conversation",
};
let last = "";

export async function view(context) {
  const query = el("input", {
    type: "search",
    name: "query",
    dir: "auto",
    autocomplete: "off",
    placeholder: "A question, a sentence or a few words",
    value: last,
  });
  const kinds = KINDS.map(([kind, label]) =>
    el(
      "label",
      { class: "kind" },
      el("input", { type: "checkbox", value: kind, checked: kind !== "vault" }),
      " ",
      label,
    ),
  );
  const told = el("p", { role: "status", class: "hint" });
  const results = el("ol", { class: "cards results" });
  const more = button("Show more", () => look(MOST), { class: "more", hidden: true });
  let timer = 0;
  let asking = new AbortController();
  const look = async (limit = FIRST) => {
    asking.abort();
    asking = new AbortController();
    last = query.value;
    const chosen = kinds
      .map((label) => label.querySelector("input"))
      .filter((box) => box.checked)
      .map((box) => box.value);
    if (!query.value.trim() || !chosen.length) {
      fill(results);
      more.hidden = true;
      fill(told, chosen.length ? "" : "Choose what to search.");
      return;
    }
    try {
      const found = await context.being.post(
        "/search",
        { query: query.value, kinds: chosen, limit, explain: true },
        asking.signal,
      );
      fill(
        results,
        found.results.map((one) => result(context, one)),
      );
      fill(
        told,
        `${count(found.results.length, "result")}${found.degraded ? ", compared by words alone" : ""}${found.unindexed ? `; ${found.unindexed} of what was told lately can’t be searched yet` : ""}.`,
      );
      more.hidden = limit === MOST || found.results.length < limit;
      results.dataset.query = query.value;
      results.dataset.limit = limit;
      if (!found.results.length) fill(results, el("li", {}, empty("Nothing was found.")));
    } catch (problem) {
      if (problem.name !== "AbortError") fill(told, problem.message);
    }
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => look(), PAUSE_MS);
  };
  query.addEventListener("input", soon);
  for (const kind of kinds) kind.addEventListener("change", soon);
  context.signal.addEventListener("abort", () => asking.abort());
  if (last) look();
  setTimeout(() => query.focus());
  return [
    el("h1", {}, "Search"),
    el(
      "div",
      { role: "search" },
      field("What to look for", query),
      el("fieldset", { class: "choices" }, el("legend", { class: "hint" }, "Among"), kinds),
    ),
    ...askBox(context, query),
    told,
    results,
    more,
  ];
}

/** The strongest reason, in a few words. */
const reason = (signals) => (signals.length ? (SIGNALS[signals[0][0]] ?? "").toLowerCase() : "it fits best");

function result(context, one) {
  // Where it stands on the page; knowledge has no section.
  const place = {
    node: ["memory", one.id],
    message: ["talk", one.session_id],
    summary: ["talk", one.session_id],
    fact: ["facts", one.id],
    diary: ["diary"],
    vault: ["vault"],
  }[one.kind]?.filter(Boolean);
  const label = KINDS.find(([kind]) => kind === one.kind)?.[1] ?? one.kind;
  const signals = Object.entries(one.signals ?? {})
    .filter(([, signal]) => signal.share !== 0)
    .sort((a, b) => b[1].share - a[1].share);
  const most = Math.max(...signals.map(([, signal]) => Math.abs(signal.share)), 0.001);
  return el(
    "li",
    { class: "result", "data-id": one.id },
    el(
      "p",
      { class: "hint" },
      place ? el("a", { href: context.link(...place) }, label) : label,
      ` · ${["node", "diary"].includes(one.kind) ? day(one.at) : moment(one.at)}`,
      one.speaker ? [" · ", userText(speaker(context, { speaker: one.speaker, role: one.speaker }))] : null,
    ),
    userText(one.text, "p"),
    el(
      "details",
      {},
      el("summary", { class: "hint" }, `Why it was found: ${reason(signals)}`),
      el(
        "dl",
        { class: "signals" },
        signals.map(([name, signal]) => {
          const bar = el("span", {});
          bar.style.width = `${(100 * Math.abs(signal.share)) / most}%`;
          return el(
            "div",
            { "data-signal": name },
            el("dt", {}, SIGNALS[name] ?? name.replaceAll("_", " ")),
            el("dd", { class: signal.share < 0 ? "bar less" : "bar", "aria-hidden": "true" }, bar),
            el("dd", {}, share(signal.share)),
          );
        }),
      ),
    ),
  );
}
