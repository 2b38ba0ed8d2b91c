// The diary, as a diary.

import { el, empty, userText } from "../dom.js";
import { paged } from "../paged.js";
import { date } from "../words.js";

export async function view(context) {
  const entry = (one) =>
    el(
      "article",
      { "data-id": one.day },
      el("h2", {}, el("time", { datetime: one.day }, date(one.day))),
      one.text.split(/\n+/).map((line) => userText(line, "p")),
    );
  const pages = el("div", { class: "diary" });
  let thoughts = "";
  const more = await paged(
    context,
    "diary",
    pages,
    (query) => context.being.get("/diary", { limit: 30, ...query }),
    (page) => {
      thoughts = page.think_md;
      return page.entries.map(entry);
    },
  );
  const next = thoughts
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s*/, ""))
    .filter((line) => line.trim() && !line.startsWith("#"));
  return [
    el("h1", {}, "Diary"),
    next.length
      ? el(
          "aside",
          { class: "next" },
          el("h2", {}, "For next time"),
          el(
            "ul",
            {},
            next.map((line) => userText(line, "li")),
          ),
        )
      : null,
    pages.childElementCount ? [pages, more] : empty("A patrol writes the first page when a model is available."),
  ];
}
