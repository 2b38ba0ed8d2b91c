// The form that logs in with an access token, and says where to get one.

import { ask } from "./api.js";
import { el, field, fill } from "./dom.js";

export const ICON = new URL("icon.svg", import.meta.url).href;

/** The form and its field; `reason` is why the person is here again, and `enter(session)` goes on with a new login. */
export function loginForm(reason, enter) {
  const secret = el("input", {
    type: "password",
    name: "token",
    autocomplete: "off",
    required: true,
    spellcheck: "false",
  });
  const trouble = el("p", { role: "alert", class: "trouble" }, reason);
  const form = el(
    "form",
    { class: "login" },
    el("img", { src: ICON, alt: "", width: 48, height: 48 }),
    el("h1", {}, "See a memory, and take care of it"),
    el(
      "p",
      {},
      "Log in with an access token. The page keeps it nowhere: a login lasts eight hours, or until you log out.",
    ),
    field("Access token", secret),
    trouble,
    el("button", { type: "submit", class: "primary" }, "Log in"),
    el(
      "details",
      {},
      el("summary", {}, "Where do I get a token?"),
      el("p", {}, "On the machine where it runs, this prints a link that logs you in:"),
      el("pre", { tabindex: 0 }, "./patrol page --user NAME"),
      el("p", {}, "For a token that you can use again:"),
      el("pre", { tabindex: 0 }, "./patrol token add --user NAME --scope read --scope ingest --scope manage"),
      el("p", {}, "Its scopes say what you can do here:"),
      el(
        "ul",
        { class: "preview" },
        el("li", {}, el("code", {}, "read"), " shows the memory, and is needed for each login"),
        el("li", {}, el("code", {}, "ingest"), " retracts messages and restores them"),
        el("li", {}, el("code", {}, "manage"), " changes and erases what is remembered, and shows background work"),
        el("li", {}, "handing in earlier talk, and tokens for frontends, need all three"),
      ),
      el("p", {}, el("a", { href: "/docs" }, "The routes of the API")),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    fill(trouble);
    try {
      const session = await ask("POST", "/page/session", {
        headers: { Authorization: `Bearer ${secret.value.trim()}` },
      });
      if (!session.scopes.includes("read")) throw new Error("This token lacks the scope `read`.");
      await enter(session);
    } catch (problem) {
      fill(trouble, problem.message);
      secret.focus();
    }
  });
  return { form, secret };
}
