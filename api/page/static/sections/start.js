// The first steps: the data that is kept before there are memories, how messages come in, and the use of a key for a model.

import { change } from "../actions.js";
import { ask } from "../api.js";
import { button, el, field, userText } from "../dom.js";
import { count } from "../words.js";
import { connecting } from "./connecting.js";
import { importing } from "./imports.js";

const SLUG = "[a-z0-9][a-z0-9_\\-]{0,62}";

export async function view(context) {
  return [
    el("h1", {}, "Import and connect"),
    el("p", { class: "lead" }, "Bring earlier talk here, and let the program that you talk with remember."),
    steps(context),
  ];
}

/** The panel in place of the map while nothing is remembered. */
export async function beforeMemories(context) {
  const holds = await context.being.get("/overview");
  return [
    el("h1", {}, userText(context.being.row.name)),
    kept(context, holds),
    el("h2", {}, "First steps"),
    steps(context),
  ];
}

function kept(context, holds) {
  const talk = [
    holds.messages && el("a", { href: context.link("talk") }, count(holds.messages, "message")),
    holds.sessions && count(holds.sessions, "conversation"),
    holds.facts && el("a", { href: context.link("facts") }, count(holds.facts, "fact")),
    holds.todos && count(holds.todos, "open todo"),
    holds.vault_records && el("a", { href: context.link("vault") }, count(holds.vault_records, "vault record")),
  ].filter(Boolean);
  const joined = talk.flatMap((part, at) => (at ? [at === talk.length - 1 ? " and " : ", ", part] : [part]));
  return [
    talk.length
      ? el(
          "p",
          { class: "lead" },
          "Kept, and found again by ",
          el("a", { href: context.link("search") }, "the search"),
          ": ",
          joined,
          ".",
        )
      : el("p", { class: "lead" }, "Nothing has been handed in yet. What comes in is kept word for word and can be searched at once."),
    holds.notes_pending
      ? el(
          "p",
          {},
          `${count(holds.notes_pending, "note")} ${holds.notes_pending === 1 ? "waits" : "wait"} for the next patrol, which makes memories of notes. `,
          context.manages
            ? button("Run a patrol now", () => change("A patrol runs.", () => context.being.post("/patrols"), null))
            : null,
        )
      : null,
    el(
      "p",
      {},
      el("strong", {}, "What a key adds: "),
      "with one for a language model the talk also becomes memories with topics, facts about you, summaries and a diary. ",
      holds.messages_unjudged && holds.waits_for_key
        ? `${count(holds.messages_unjudged, "message")} ${holds.messages_unjudged === 1 ? "waits" : "wait"} for one; nothing is lost meanwhile.`
        : null,
    ),
    holds.unread_language
      ? el(
          "p",
          {},
          el("strong", {}, "Another language: "),
          "most of the talk is not in English, and the embedder here reads English alone, so that only words are found, and no meaning. Its operator can set ",
          el("code", {}, "PATROL_EMBEDDER=multilingual"),
          ".",
        )
      : null,
    el(
      "p",
      { class: "hint" },
      "A patrol is the walk through the memory, once a day or when you ask for it, that makes memories of notes, lets them age, merges what is alike, and lets go of what is never recalled.",
    ),
  ];
}

function steps(context) {
  return el(
    "div",
    { class: "columns first" },
    importing(context),
    connecting(context),
    context.manages && !context.login.being_id ? [keyed(), another()] : null,
  );
}

/** The form that makes a Being: the first one of a user, or one more. */
export function makingBeing(first) {
  const name = el("input", { name: "name", required: true, dir: "auto", autocomplete: "off", maxlength: 200 });
  const slug = el("input", { name: "slug", required: true, pattern: SLUG, autocomplete: "off", autocapitalize: "off" });
  const trouble = el("p", { role: "alert", class: "trouble" });
  let typed = false;
  slug.addEventListener("input", () => (typed = true));
  name.addEventListener("input", () => {
    if (!typed) slug.value = slugOf(name.value);
  });
  const form = el(
    "form",
    { class: "panel" },
    el("h2", {}, first ? "Make a Being" : "One more Being"),
    el("p", {}, "A Being is one companion with a memory of its own. What you tell about yourself is known to all of your Beings, unless you tell it in confidence."),
    field("Name", name),
    field("Short name for addresses", slug, "a–z, 0–9, _ and -; it stays as it is."),
    trouble,
    el("button", { type: "submit", class: first ? "primary" : "" }, "Make it"),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    trouble.replaceChildren();
    try {
      const made = await ask("POST", "/v1/beings", { body: { name: name.value, slug: slug.value } });
      location.hash = `#/${made.slug}/map`;
      location.reload();
    } catch (problem) {
      trouble.replaceChildren(problem.message);
    }
  });
  return form;
}

const slugOf = (name) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 63);

const another = () => el("details", {}, el("summary", {}, "One more Being"), makingBeing(false));

/** The form that stores a key for a model. */
function keyed() {
  const key = el("input", { type: "password", name: "key", required: true, autocomplete: "off", spellcheck: "false" });
  const form = el(
    "form",
    { class: "panel" },
    el("h2", {}, "Let a model read along"),
    el("p", {}, "Your key is stored encrypted, and can’t be read again. It pays for facts, summaries, topics and the diary of your Beings, within the day’s budget."),
    field("Key of Anthropic or OpenAI", key),
    el("button", { type: "submit" }, "Store the key"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = { key: key.value.trim() };
    key.value = "";
    change(
      "The key is stored.",
      () => ask("POST", "/v1/keys", { body }),
      (stored) => ask("DELETE", `/v1/keys/${stored.key_id}`),
      { stays: "What it has paid for meanwhile stays." },
    );
  });
  return form;
}
