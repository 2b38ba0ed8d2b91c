// The people, places and things that facts name, and proposals that two of them are one.

import { change } from "../actions.js";
import { button, el, empty, userText } from "../dom.js";
import { muteButton, mutesOf } from "../mutes.js";
import { paged, table } from "../paged.js";
import { ties } from "./ties.js";
import { count, day, nameOf, share } from "../words.js";

export async function view(context) {
  const { being } = context;
  const rows = el("tbody", {});
  const open = el("ol", { class: "cards proposals" });
  const decided = el("ol", { class: "cards decided" });
  const labels = new Map();
  const mutes = await mutesOf(context);
  const moreRows = await paged(
    context,
    "entities",
    rows,
    (query) => being.get("/entities", { limit: 100, ...query }),
    (page) => {
      for (const entity of page.entities) labels.set(entity.entity_ref, entity.label);
      return page.entities.map((entity) => row(context, entity, mutes));
    },
  );
  const together = await ties(context, labels);
  const card = (merge) => el("li", { "data-id": merge.merge_id }, proposal(context, merge, labels));
  const [moreOpen, moreDecided] = await Promise.all([
    paged(
      context,
      "proposed",
      open,
      (query) => being.get("/entities/merges", { state: "proposed", limit: 50, ...query }),
      (page) => page.proposals.map(card),
    ),
    paged(
      context,
      "decided",
      decided,
      (query) => being.get("/entities/merges", { limit: 50, ...query }),
      (page) => page.proposals.filter((merge) => merge.state !== "proposed").map(card),
    ),
  ]);
  return [
    el("h1", {}, "People and things"),
    open.childElementCount ? [el("h2", {}, "Are these the same?"), open, moreOpen] : null,
    together,
    el("h2", {}, "Whom and what facts name"),
    rows.childElementCount
      ? [
          table("Entities", ["Name", "Kind", "Facts", "In prompts"], ["Facts"], rows),
          moreRows,
        ]
      : empty("Facts name no person or thing yet."),
    decided.childElementCount || !moreDecided.hidden ? [el("h2", {}, "Decided"), decided, moreDecided] : null,
  ];
}

/** The kind of a reference such as `org:harbour_office`, in a word. */
function kindOf(reference) {
  const [kind] = reference.split(":");
  return { org: "organisation" }[kind] ?? kind;
}

function row(context, entity, mutes) {
  return el(
    "tr",
    { "data-id": entity.entity_ref },
    el(
      "th",
      { scope: "row" },
      userText(entity.label),
      entity.aliases.length
        ? el("span", { class: "hint" }, "also called ", userText(entity.aliases.map(nameOf).join(", ")))
        : null,
    ),
    el("td", {}, kindOf(entity.entity_ref)),
    el(
      "td",
      { class: "amount" },
      el(
        "a",
        {
          href: context.link("facts", "of", entity.entity_ref),
          "aria-label": `${count(entity.facts, "fact")} of this entity`,
        },
        entity.facts,
      ),
    ),
    el("td", {}, muteButton(context, mutes, "entity", entity.entity_ref)),
  );
}

function proposal(context, merge, labels) {
  const named = (ref) => userText(labels.get(ref) ?? nameOf(ref), "strong");
  const path = `/entities/merges/${merge.merge_id}`;
  const accept = () => context.being.post(`${path}/accept`);
  const decline = () => context.being.post(`${path}/decline`);
  const again = () =>
    context.being.post("/entities/merges", { kept_ref: merge.kept_ref, merged_ref: merge.merged_ref });
  return [
    el("p", {}, named(merge.merged_ref), " is ", named(merge.kept_ref)),
    el(
      "p",
      { class: "hint" },
      `${merge.state} · similarity ${share(merge.similarity)} · ${day(merge.decided_at ?? merge.created_at)}`,
    ),
    context.manages
      ? el(
          "div",
          { class: "buttons" },
          merge.state === "proposed"
            ? button("They are one", () => change("Merged: their facts are filed together.", accept, decline), {
                class: "primary",
              })
            : null,
          merge.state === "proposed" ? button("Keep them apart", () => change("Kept apart.", decline, again)) : null,
          merge.state === "merged"
            ? button("Undo the merge", () => change("They are two again.", decline, accept))
            : null,
        )
      : null,
  ];
}
