// Export of a Being's memory, and its erasure, with a preview of the rows that would be erased.

import { tell } from "../actions.js";
import { askInDialog, button, el, field, pairs, userText } from "../dom.js";
import { BASE, ask } from "../api.js";
import { number } from "../words.js";

export async function view(context) {
  const { being } = context;
  const holds = await being.get("/overview");
  const counts = [
    ["Memories", holds.nodes_active + holds.nodes_dying + holds.nodes_dead],
    ["Topics", holds.topics],
    ["Messages", holds.messages],
    ["Conversations", holds.sessions],
    ["Facts that it knows", holds.facts],
    ["Open todos", holds.todos],
    ["Vault records", holds.vault_records],
    ["Patrols", holds.patrols],
  ];
  return [
    el("h1", {}, "Export and erase"),
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        { class: "panel" },
        el("h2", {}, "What it holds"),
        pairs(...counts.map(([name, value]) => [name, number(value)])),
      ),
      context.manages
        ? el(
            "section",
            { class: "panel" },
            el("h2", {}, "Export"),
            el(
              "p",
              {},
              "Everything that this Being knows, as of one moment, in a file that ",
              el("code", {}, "patrol import"),
              " reads.",
            ),
            button("Download the export", (event) => download(context, event.target), { class: "primary" }),
          )
        : null,
      context.manages
        ? el(
            "section",
            { class: "panel" },
            el("h2", {}, "Erase"),
            el("p", {}, "Single memories, facts and messages are erased where they stand. Here the whole Being is."),
            button("Erase this Being …", () => erase(context, counts), { class: "danger" }),
          )
        : el("p", {}, "Your token can read, and change nothing."),
    ),
  ];
}

async function download(context, from) {
  from.disabled = true;
  try {
    const answer = await fetch(`${BASE}${context.being.path("/export")}`, { credentials: "same-origin" });
    if (!answer.ok) throw new Error((await answer.json()).detail);
    const address = URL.createObjectURL(await answer.blob());
    const link = el("a", { href: address, download: `${context.being.row.slug}.jsonl` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    tell("The export is downloaded.");
  } catch (problem) {
    tell(problem.message);
  }
  from.disabled = false;
}

async function erase(context, counts) {
  const { row } = context.being;
  const slug = el("input", {
    name: "slug",
    required: true,
    pattern: row.slug,
    autocomplete: "off",
    autocapitalize: "off",
  });
  const given = await askInDialog(
    "Erase this Being for good?",
    [
      el(
        "p",
        {},
        userText(row.name, "strong"),
        " and all that only it knows would go. This can’t be undone. Facts that the user told in no confidence stay with the user’s other Beings where their words support them.",
      ),
      el(
        "ul",
        { class: "preview" },
        counts.filter(([, value]) => value).map(([name, value]) => el("li", {}, `${name}: ${number(value)}`)),
      ),
      field(`To confirm, type ${row.slug}`, slug),
    ],
    { confirm: "Erase for good", danger: true },
  );
  if (given?.slug !== row.slug) return;
  try {
    await ask("DELETE", `/v1/beings/${row.being_id}`);
    location.hash = "#/";
    location.reload();
  } catch (problem) {
    tell(problem.message);
  }
}
