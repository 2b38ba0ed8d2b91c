// A question to the memory: the answer, with the words that each sentence rests on.

import { button, el, empty, fill, userText } from "../dom.js";
import { moment, speaker } from "../words.js";

const PLACES = { message: "Talk", node: "Memory", fact: "Fact", summary: "Summary", diary: "Diary", computed: "Counted" };

/** The form that asks a question with the words of an input, and shows the answer. */
export function askBox(context, query) {
  const told = el("p", { class: "hint", "aria-live": "polite" });
  const answer = el("ol", { class: "cards answer" });
  let asked = new AbortController();
  context.signal.addEventListener("abort", () => asked.abort());
  const ask = async () => {
    asked.abort();
    asked = new AbortController();
    fill(answer);
    if (!query.value.trim()) return fill(told, "Type a question above.");
    fill(told, "The memory is asked …");
    try {
      const found = await context.being.post("/ask", { question: query.value }, asked.signal);
      fill(told, found.without_model ? `Passages, since no model answered: ${found.without_model}` : "");
      fill(answer, found.known ? found.answer.map((one) => sentence(context, one)) : el("li", {}, empty("The memory does not know.")));
    } catch (problem) {
      if (problem.name !== "AbortError") fill(told, problem.message);
    }
  };
  return [button("Ask the memory", ask, { class: "ask" }), told, answer];
}

function sentence(context, one) {
  return el(
    "li",
    {},
    one.sentence.split("\n").map((line) => userText(line, "p")),
    el(
      "details",
      {},
      el("summary", { class: "hint" }, "What it rests on"),
      one.cites.map((cite) =>
        el(
          "p",
          { class: "hint" },
          `${PLACES[cite.kind] ?? cite.kind}${cite.at ? ` · ${moment(cite.at)}` : ""}`,
          cite.speaker ? [" · ", userText(speaker(context, { speaker: cite.speaker, role: cite.speaker }))] : null,
          userText(cite.quote, "p"),
        ),
      ),
    ),
  );
}
