// Connecting a frontend: its base URL, and tokens for one Being, which are made after a question, listed, and revoked.

import { change, tell, tellProblem } from "../actions.js";
import { BASE, ask } from "../api.js";
import { askInDialog, button, el, field, fill, visible } from "../dom.js";
import { day, list } from "../words.js";

const RIGHTS = { ingest: "hands in", read: "reads", manage: "changes and erases" };

/** The panel: the settings for a frontend, and the tokens that open this Being alone. */
export function connecting(context) {
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, "Connect the program you talk with"),
    el("p", {}, "A frontend that lets you set a base URL talks to its model as before, through here, and remembers. Others have a plugin, which is told the address of the API."),
    context.login.proxies
      ? copied("Base URL", `${BASE}/openai/v1`)
      : el("p", { class: "hint" }, "No model stands behind a base URL yet: the operator names one in PATROL_PROXY_UPSTREAMS."),
    copied("Address of the API", BASE),
    context.manages && context.ingests ? tokens(context) : null,
  );
}

function tokens(context) {
  const { row } = context.being;
  const path = `/page/session/tokens/${row.being_id}`;
  const secret = el("div", {});
  const known = el("div", { class: "tokens" });
  const show = async () => {
    const page = await ask("GET", path, { signal: context.signal });
    fill(
      known,
      page.tokens.length
        ? [
            el("h3", {}, "Tokens of this Being"),
            el("ul", { class: "lines" }, page.tokens.map((token) => el("li", { "data-id": token.token_id }, line(path, token)))),
          ]
        : null,
    );
  };
  const make = async () => {
    const name = visible(row.name);
    const given = await askInDialog(
      `Make a token for ${name}?`,
      [
        el("p", {}, `A program that has it hands in and reads for ${name} alone, and changes nothing else.`),
        el("p", {}, "It is valid until it is revoked here, also after you have logged out. Give each program one of its own."),
      ],
      { confirm: "Make it" },
    );
    if (!given) return;
    try {
      const made = await ask("POST", path);
      fill(secret, copied("Token, which frontends call API key", made.secret), el("p", { class: "hint" }, "It can’t be shown again."));
      await show();
    } catch (problem) {
      tellProblem(problem);
    }
  };
  show().catch(tellProblem);
  return [button("Make a token for this Being …", make), secret, known];
}

function line(path, token) {
  const used = token.last_used_at ? `last used on ${day(token.last_used_at)}` : "not used yet";
  const ends = token.expires_at ? `, valid until ${day(token.expires_at)}` : "";
  const revoke = async () => {
    const given = await askInDialog(
      "Revoke this token?",
      el("p", {}, "The program that has it is refused at once. This can’t be undone; another token can be made."),
      { confirm: "Revoke it", danger: true },
    );
    if (given) await change("Revoked: it opens nothing any more.", () => ask("DELETE", `${path}/${token.token_id}`), null);
  };
  return [
    `Made on ${day(token.created_at)}, ${used}${ends}`,
    el("span", { class: "hint" }, `It ${list(["ingest", "read", "manage"].filter((scope) => token.scopes.includes(scope)).map((scope) => RIGHTS[scope]))}.`),
    button("Revoke …", revoke, { class: "danger quiet" }),
  ];
}

/** A text with a button that copies it. */
function copied(label, text) {
  const shown = el("input", { readonly: true, value: text, class: "code" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      tell(`Copied: ${label.split(",")[0].toLowerCase()}.`);
    } catch {
      // Without TLS a browser gives no clipboard to a page of another machine.
      shown.select();
      tell("Press Ctrl+C to copy what is selected.");
    }
  };
  return el("div", { class: "copied" }, field(label, shown), button("Copy", copy, { "aria-label": `Copy ${label}` }));
}
