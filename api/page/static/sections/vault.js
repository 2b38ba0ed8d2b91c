// The vault: durable statements, the gates that let one in, and its versions.

import { change } from "../actions.js";
import { Problem } from "../api.js";
import { askInDialog, button, el, empty, field, fill, userText, visible } from "../dom.js";
import { count, day } from "../words.js";

export async function view(context) {
  const [page, stats, proposals] = await Promise.all([
    context.being.get("/vault"),
    context.being.get("/vault/stats"),
    context.being.get("/vault/proposals"),
  ]);
  return [
    el("h1", {}, "Vault"),
    el(
      "p",
      { class: "lead" },
      `Statements that every prompt contains. ${count(stats.active, "record")} of ${stats.max}. A new one passes eight gates; one that refuses says which rule it broke and what to do instead.`,
    ),
    context.manages ? adding(context) : null,
    page.records.length
      ? el(
          "ol",
          { class: "cards records" },
          page.records.map((record) => el("li", { "data-id": record.id }, card(context, record))),
        )
      : empty("The vault is empty."),
    proposals.proposals.length
      ? [
          el("h2", {}, "Perhaps no longer needed"),
          el(
            "ol",
            { class: "cards" },
            proposals.proposals.map((one) =>
              el("li", {}, userText(one.record.text, "p"), el("p", { class: "hint" }, visible(one.reasons.join("; ")))),
            ),
          ),
        ]
      : null,
  ];
}

function adding(context) {
  const text = el("textarea", { name: "text", rows: 2, required: true, dir: "auto" });
  const scope = el(
    "select",
    { name: "scope" },
    el("option", { value: context.being.row.slug }, "This Being"),
    el("option", { value: "shared" }, "All of the user’s Beings"),
  );
  const refusal = el("div", { role: "alert" });
  const form = el(
    "form",
    { class: "panel" },
    el("h2", {}, "Add a statement"),
    field("Statement", text),
    field("For", scope),
    refusal,
    el("button", { type: "submit", class: "primary" }, "Add"),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fill(refusal);
    await change(
      "Added to the vault.",
      () =>
        context.being.post("/vault", { text: text.value, scope: scope.value, source: "manual" }).catch((problem) => {
          fill(refusal, refused(problem));
          throw problem instanceof Problem
            ? new Problem(problem.status, { detail: "Not added: a gate refused it." })
            : problem;
        }),
      (receipt) => context.being.delete(`/vault/${receipt.records[0].id}`),
      { stays: "It stays as a deleted record, until the vault is compacted." },
    );
  });
  return el("details", {}, el("summary", {}, "Add a statement"), form);
}

/** A gate's refusal: which gate, which rule, and the remedy. */
function refused(problem) {
  const { gate, rule, instead } = problem.told ?? {};
  return el(
    "div",
    { class: "trouble" },
    gate
      ? el("p", {}, el("strong", {}, `The gate “${visible(gate).replaceAll("_", " ")}” refused it: `), visible(rule))
      : el("p", {}, visible(problem.message)),
    instead ? el("p", {}, visible(instead)) : null,
  );
}

function card(context, record) {
  const path = `/vault/${record.id}`;
  const back = {
    text: record.text,
    scope: record.scope,
    category: record.category,
    tier: record.tier,
    topic_id: record.topic_id,
    tags: record.tags,
    source: record.source,
    force: true,
  };
  return [
    userText(record.text, "p"),
    el(
      "p",
      { class: "hint" },
      record.tier,
      " · ",
      userText(record.category),
      record.topic_id ? [" · ", userText(record.topic_id)] : null,
      ` · ${record.scope === "shared" ? "for all Beings" : "for this Being"} · version ${record.version}, ${day(record.updated_at ?? record.created_at)}`,
    ),
    el(
      "div",
      { class: "buttons" },
      context.manages ? button("Edit", () => edit(context, record)) : null,
      button("Versions", (event) => versions(context, record, event.target)),
      context.manages
        ? button(
            "Delete",
            () =>
              change(
                "Deleted from the vault.",
                () => context.being.delete(path),
                () => context.being.post("/vault", back),
                { stays: "It is a new record: the versions before stay with the deleted one." },
              ),
            { class: "quiet" },
          )
        : null,
    ),
  ];
}

async function versions(context, record, from) {
  const page = await context.being.get(`/vault/${record.id}`);
  from.closest(".buttons").after(
    el(
      "ol",
      { class: "story" },
      page.records.map((one) =>
        el(
          "li",
          {},
          el("time", {}, day(one.deleted_at ?? one.updated_at ?? one.created_at)),
          userText(one.text || "deleted"),
        ),
      ),
    ),
  );
  from.remove();
}

async function edit(context, record) {
  const text = el("textarea", { name: "text", rows: 3, required: true, dir: "auto" });
  text.value = record.text;
  const given = await askInDialog("Change the statement", field("Statement", text, "Gates 1 to 5 check the change."));
  const path = `/vault/${record.id}`;
  if (given && given.text !== record.text)
    await change(
      "Changed.",
      () => context.being.patch(path, { text: given.text }),
      () => context.being.patch(path, { text: record.text }),
      { stays: "Both changes stay among its versions." },
    );
}
