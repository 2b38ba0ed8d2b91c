// The start of the page: login, the Beings, the sections, and which of them the address names.

import { clearUndo, leaveTold, refreshWith, tell, undo, undoable } from "./actions.js";
import { Being, ask, carry } from "./api.js";
import { button, el, empty, field, fill, userText, visible } from "./dom.js";
import { ICON, loginForm } from "./login.js";
import * as map from "./map.js";
import { notice } from "./record.js";

const OWN = [
  ["map", "Map", async () => map],
  ["timeline", "Timeline", () => import("./sections/timeline.js")],
  ["search", "Search", () => import("./sections/search.js")],
  ["facts", "Facts", () => import("./sections/facts.js")],
  ["entities", "People and things", () => import("./sections/entities.js")],
  ["talk", "Talk", () => import("./sections/talk.js")],
  ["rooms", "Rooms", () => import("./sections/rooms.js")],
  ["muted", "Muted", () => import("./mutes.js")],
  ["diary", "Diary", () => import("./sections/diary.js")],
  ["vault", "Vault", () => import("./sections/vault.js")],
  ["start", "Import and connect", () => import("./sections/start.js")],
  ["care", "Export and erase", () => import("./sections/care.js")],
];
const BEHIND = [
  ["patrols", "Patrols", () => import("./sections/patrols.js")],
  ["prompts", "Prompts", () => import("./sections/prompts.js")],
  ["cost", "Cost", () => import("./sections/cost.js")],
];
// For operators.
const WORK = ["work", "Work", () => import("./sections/work.js")];
// Sections that need the scope `manage`.
const MANAGED = ["muted", "work"];
const permitted = (sections) =>
  sections.filter(([name]) => login.scopes.includes("manage") || !MANAGED.includes(name));
// A memory is opened from the map.
const MEMORY = ["memory", "Memory", () => import("./memory.js")];
const LINK = /^#login=([\w-]+)$/;
const top = document.getElementById("top");
const nav = document.getElementById("sections");
const content = document.getElementById("content");
let login = null;
let beings = [];
let leaving = new AbortController();
let shown = "";
let opened = {};

async function start() {
  preferences();
  let refused = "";
  try {
    const entered = await enter().catch((problem) => (refused = problem.message) && null);
    const session = entered || (await ask("GET", "/page/session"));
    await (session ? begin(session) : showLogin(refused));
  } catch (problem) {
    showLogin(problem.message);
  }
}

/** Log in by the secret that the address of a printed link names; it leaves the address and the history at once. */
async function enter() {
  const [, secret] = location.hash.match(LINK) || [];
  if (!secret) return null;
  history.replaceState(null, "", "/");
  return ask("POST", "/page/session/link", { headers: { Authorization: `Bearer ${secret}` } });
}

async function begin(session) {
  login = session;
  carry(session.request_secret);
  beings = session.beings;
  document.body.classList.remove("outside");
  drawTop();
  await show();
}

function showLogin(reason = "") {
  carry("");
  login = null;
  leaving.abort();
  fill(top);
  fill(nav);
  document.body.classList.add("outside");
  document.title = "Memory Patrol";
  const { form, secret } = loginForm(reason, async (session) => {
    await begin(session);
    content.focus();
  });
  fill(content, form);
  leaveTold();
  secret.focus();
}

function drawTop() {
  const choice = el("select", {
    "aria-label": "Being",
    onchange: (event) => (location.hash = `#/${event.target.value}/${place().section}`),
  });
  for (const being of beings) choice.append(el("option", { value: being.slug, dir: "auto" }, visible(being.name)));
  const undoing = button("Undo", undo, { class: "quiet", id: "undo", title: "Undo the last change (Ctrl+Z)" });
  const latest = () => (undoing.disabled = !undoable());
  window.addEventListener("undoable", latest);
  latest();
  const menu = el(
    "details",
    { class: "menu" },
    el("summary", { "aria-label": "Menu" }, userText(login.user)),
    el(
      "div",
      {},
      toggle("theme", "Colours", [
        ["", "As the system"],
        ["light", "Light"],
        ["dark", "Dark"],
      ]),
      toggle("motion", "Motion", [
        ["", "As the system"],
        ["still", "Off"],
      ]),
      button("Log out", leave),
    ),
  );
  fill(
    top,
    el(
      "a",
      { class: "brand", href: "#/", "aria-label": "Memory Patrol" },
      el("img", { src: ICON, alt: "", width: 28, height: 28 }),
      el("span", {}, "Memory Patrol"),
    ),
    beings.length > 1 ? choice : beings.length ? userText(beings[0].name, "strong", { class: "being" }) : null,
    login.scopes.includes("manage") ? undoing : el("span", { class: "badge" }, "Read only"),
    menu,
  );
}

/** Close the panels that open over the page: the menu, and on a phone the list of sections. */
function closeMenus() {
  nav.classList.remove("open");
  nav.querySelector("button")?.setAttribute("aria-expanded", "false");
  top.querySelector(".menu")?.removeAttribute("open");
}

/** The sections, those behind the scenes apart; a phone shows the current one and opens the others. */
function drawSections(row, current) {
  const link = ([name, label], here) =>
    el("a", { href: `#/${row.slug}/${name}`, "aria-current": name === current && here }, label);
  const all = button(
    "All sections",
    () => {
      const open = nav.classList.toggle("open");
      all.setAttribute("aria-expanded", String(open));
    },
    { class: "all", "aria-expanded": "false" },
  );
  const here = place().section === MEMORY[0] ? "true" : "page";
  fill(
    nav,
    row && [
      permitted(OWN).map((section) => link(section, here)),
      el("p", { class: "hint apart" }, "Behind the scenes"),
      permitted([...BEHIND, WORK]).map((section) => link(section, here)),
      all,
    ],
  );
}

function toggle(name, label, options) {
  const choice = el("select", {
    onchange: (event) => {
      localStorage.setItem(name, event.target.value);
      preferences();
    },
  });
  for (const [value, text] of options)
    choice.append(el("option", { value, selected: (localStorage.getItem(name) || "") === value }, text));
  return field(label, choice);
}

function preferences() {
  for (const name of ["theme", "motion"]) {
    const value = localStorage.getItem(name);
    if (value) document.documentElement.dataset[name] = value;
    else delete document.documentElement.dataset[name];
  }
  window.dispatchEvent(new CustomEvent("preferences"));
}

async function leave() {
  try {
    await ask("DELETE", "/page/session");
  } catch (problem) {
    if (problem.status !== 401) return tell(problem.message);
  }
  clearUndo();
  history.replaceState(null, "", "/");
  showLogin("You are logged out.");
}

/** The parts of the address: `#/being/section/id`. */
function place() {
  const [slug, section, ...ids] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  return { slug: slug || beings[0]?.slug, section: section || "map", ids };
}

async function show() {
  if (!login) return;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  delete content.dataset.shown;
  const { slug, section, ids } = place();
  const row = beings.find((being) => being.slug === slug || being.being_id === slug);
  const choice = top.querySelector("select[aria-label=Being]");
  if (choice && row) choice.value = row.slug;
  const manages = login.scopes.includes("manage");
  const named = permitted([...OWN, ...BEHIND, MEMORY, WORK]).find(([name]) => name === section) || OWN[0];
  drawSections(row, named === MEMORY ? "map" : named[0]);
  closeMenus();
  leaveTold();
  if (!row) return showNoBeing();
  const anew = location.hash !== shown;
  shown = location.hash;
  if (anew) opened = {};
  document.title = `${named[1]} · ${visible(row.name)} · Memory Patrol`;
  const context = {
    being: new Being(row, signal),
    signal,
    ids,
    opened,
    manages,
    ingests: login.scopes.includes("ingest"),
    login,
    link: (...parts) => `#/${row.slug}/${parts.map(encodeURIComponent).join("/")}`,
    go: (...parts) => (location.hash = `#/${row.slug}/${parts.map(encodeURIComponent).join("/")}`),
  };
  try {
    const part = await named[2]().catch(() => {
      throw new Error("This part of the page can’t be loaded. Check that the server runs, then reload the page.");
    });
    const view = await part.view(context);
    if (signal.aborted) return;
    const scrolled = window.scrollY;
    fill(content, notice(context), view);
    content.dataset.shown = [named[0], ...ids].join("/");
    if (anew) {
      window.scrollTo(0, 0);
      if (document.activeElement === document.body || nav.contains(document.activeElement) === false)
        content.focus({ preventScroll: true });
    } else {
      window.scrollTo(0, scrolled);
    }
  } catch (problem) {
    if (problem.name === "AbortError" || signal.aborted) return;
    fill(
      content,
      el("h1", {}, named[1]),
      el("p", { role: "alert", class: "trouble" }, problem.message),
      button("Try again", show),
    );
  }
}

/** The page for a person without a Being, or with the address of another person's Being: how to make one. */
async function showNoBeing() {
  const may = login.scopes.includes("manage") && !login.being_id;
  const { makingBeing } = await import("./sections/start.js");
  fill(
    content,
    el("h1", {}, beings.length ? "No Being of that name" : "Welcome"),
    beings.length ? el("p", {}, el("a", { href: "#/" }, "Go to the first of your Beings")) : null,
    may && !beings.length ? makingBeing(true) : null,
    may || beings.length ? null : empty("Your token gives access to no Being, and can’t make one: that takes the scope manage."),
  );
  content.dataset.shown = "none";
}

refreshWith(show);
// The address names the page that is shown, so that the link to the content is none of it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.scrollIntoView();
  content.focus({ preventScroll: true });
});
document.addEventListener("click", (event) => {
  const over = top.querySelector(".menu[open]");
  if ((over && !over.contains(event.target)) || (nav.classList.contains("open") && !nav.contains(event.target))) closeMenus();
});
window.addEventListener("hashchange", () => (LINK.test(location.hash) ? start() : show()));
window.addEventListener("login-ended", () => showLogin("Your login has ended. Log in again."));
window.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const opened = top.querySelector(".menu[open] > summary") || nav.querySelector("[aria-expanded=true]");
    closeMenus();
    opened?.focus();
  }
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (!login || typing) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") {
    event.preventDefault();
    undo();
  } else if (event.key === "/" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    location.hash = `#/${place().slug}/search`;
  }
});
start();
