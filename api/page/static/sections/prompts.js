// Prompts: the assembled contexts, the items of each with the reasons, and a trial that changes nothing.

import { button, el, empty, field, fill, userText, visible } from "../dom.js";
import { paged, table } from "../paged.js";
import { count, moment, number, share } from "../words.js";

// The texts for the reasons by which a fact was chosen.
const SCORES = {
  similarity: "about the same",
  recency: "told lately",
  frequency: "told often",
  score: "in all",
};

export async function view(context) {
  return context.ids.length ? one(context) : all(context);
}

async function all(context) {
  const list = el("ol", { class: "lines reading prompts" });
  const row = (prompt) =>
    el(
      "li",
      { "data-id": prompt.context_id },
      el("a", { href: context.link("prompts", prompt.context_id) }, moment(prompt.created_at)),
      el(
        "span",
        { class: "hint" },
        `${visible(prompt.process)} · ${count(prompt.items, "memory or fact", "memories and facts")}`,
      ),
    );
  const more = await paged(
    context,
    "prompts",
    list,
    (query) => context.being.get("/contexts", { limit: 50, ...query }),
    (page) => page.contexts.map(row),
  );
  const message = el("textarea", { rows: 2, dir: "auto", required: true });
  const answer = el("div", { "aria-live": "polite" });
  const form = el(
    "form",
    { class: "panel" },
    el("h2", {}, "What would a prompt contain?"),
    field(
      "A message of the user",
      message,
      "The prompt is assembled and shown; nothing is stored, and no memory is activated.",
    ),
    el("button", { type: "submit", class: "primary" }, "Assemble"),
    answer,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const told = await context.being.post("/context", { message: message.value, activate: false, explain: true });
      fill(answer, assembled(context, told));
    } catch (problem) {
      fill(answer, el("p", { class: "trouble" }, problem.message));
    }
  });
  return [
    el("h1", {}, "Prompts"),
    form,
    el("h2", {}, "Assembled lately"),
    list.childElementCount ? [list, more] : empty("No prompt is stored."),
  ];
}

const likeness = (similarity) => (similarity === null ? "found by its words" : `similarity ${share(similarity)}`);

/** The items that a message brought into the prompt, each by its text. */
const recalled = (title, found, line) =>
  found.length
    ? [el("h3", {}, title), el("ol", { class: "lines recalled" }, found.map((one) => el("li", {}, line(one))))]
    : null;

function assembled(context, told) {
  const { memories, facts, passages } = told.explanation;
  return [
    el(
      "h3",
      {},
      `${count(told.tokens, "token")} in ${count(told.regions.filter((region) => !region.dropped).length, "part")}`,
    ),
    recalled("Memories that the message recalled", memories, (memory) => [
      el("a", { href: context.link("memory", memory.node_id) }, userText(memory.text)),
      el("span", { class: "hint" }, likeness(memory.similarity)),
    ]),
    recalled("Facts that belong to it", facts, (fact) => [
      el("a", { href: context.link("facts", fact.fact_id) }, userText(fact.text)),
      el("span", { class: "hint" }, likeness(fact.similarity)),
    ]),
    recalled("Earlier talk", passages, (passage) => [
      userText(passage.text, "p"),
      el("span", { class: "hint" }, `score ${share(passage.score)}`),
    ]),
    table(
      "Parts of the prompt",
      ["Part", "From", "Tokens"],
      ["Tokens"],
      el(
        "tbody",
        {},
        told.regions.map((region) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, region.region),
            el("td", {}, region.dropped ? `left out: ${region.dropped}` : region.origin),
            el("td", { class: "amount" }, number(region.tokens)),
          ),
        ),
      ),
    ),
    el(
      "details",
      {},
      el("summary", {}, "The prompt itself"),
      userText(told.text, "pre", { class: "prompt", tabindex: 0 }),
    ),
  ];
}

async function one(context) {
  const shown = await context.being.get(`/contexts/${context.ids[0]}`);
  return [
    el("p", {}, el("a", { href: context.link("prompts"), class: "back" }, "← Prompts")),
    el("h1", {}, `Prompt of ${moment(shown.created_at)}`),
    el("p", { class: "lead" }, `For ${visible(shown.process)}. What was in it, as it reads today, and why.`),
    el("h2", {}, "Memories"),
    shown.memories.length
      ? el(
          "ol",
          { class: "lines reading" },
          shown.memories.map((memory) =>
            el(
              "li",
              {},
              el("a", { href: context.link("memory", memory.node_id) }, userText(memory.text)),
              el(
                "span",
                { class: "hint" },
                memory.similarity === null ? "" : `recalled by the message, similarity ${share(memory.similarity)}; `,
                `in ${memory.regions.join(", ")}`,
              ),
            ),
          ),
        )
      : empty("None."),
    el("h2", {}, "Facts"),
    shown.facts.length
      ? el(
          "ol",
          { class: "lines reading" },
          shown.facts.map((fact) =>
            el(
              "li",
              {},
              el("a", { href: context.link("facts", fact.fact_id) }, userText(fact.content)),
              el(
                "span",
                { class: "hint" },
                fact.scores
                  ? Object.entries(fact.scores)
                      .map(([name, value]) => `${SCORES[name] ?? name} ${share(value)}`)
                      .join(" · ")
                  : "pinned",
              ),
            ),
          ),
        )
      : empty("None."),
    el("h2", {}, "Earlier talk"),
    shown.passages.length
      ? el(
          "ol",
          { class: "lines reading" },
          shown.passages.map((passage) =>
            el(
              "li",
              {},
              el("a", { href: context.link("talk", passage.session_id) }, userText(passage.text)),
              el("span", { class: "hint" }, `score ${share(passage.score)}`),
            ),
          ),
        )
      : empty("None."),
  ];
}
