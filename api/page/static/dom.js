// Builds elements. Texts become text nodes only: no string is ever parsed as markup.

/** Make an element. Attributes named `on…` are listeners; true and false set and omit an attribute. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...shown(children));
  return element;
}

/** Children in one list, without those that a condition left out. */
const shown = (children) =>
  children.flat(4).filter((child) => child !== null && child !== undefined && child !== false);

/** Replace the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...shown(children));
  return element;
}

// Characters that hide, reorder or control text are written out, as the command line does. The joiners U+200C and
// U+200D, which scripts and emoji need, and variation selectors stay.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Return a text with control, bidirectional and invisible characters written out. */
export function visible(text) {
  return String(text ?? "").replace(HIDDEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** An element with a text of people or models, in its own direction. */
export function userText(text, tag = "span", attributes = {}) {
  return el(tag, { dir: "auto", ...attributes }, visible(text));
}

/** A button. */
export function button(label, act, attributes = {}) {
  return el("button", { type: "button", onclick: act, ...attributes }, label);
}

/** A labelled input, select or text area. */
export function field(label, input, hint) {
  const id = input.id || `field-${(field.count = (field.count || 0) + 1)}`;
  input.id = id;
  const told = hint ? el("span", { class: "hint", id: `${id}-hint` }, hint) : null;
  if (told) input.setAttribute("aria-describedby", told.id);
  return el("div", { class: "field" }, el("label", { for: id }, label), input, told);
}

/** A list of name and value. */
export function pairs(...items) {
  return el(
    "dl",
    { class: "pairs" },
    items.filter(Boolean).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

/** The element shown in place of an empty list. */
export function empty(text) {
  return el("p", { class: "empty" }, text);
}

/** Ask a person in a dialog; resolves to the form's values, or to null if it was left. */
export function askInDialog(title, parts, { confirm = "Save", danger = false } = {}) {
  return new Promise((resolve) => {
    const form = el(
      "form",
      { method: "dialog" },
      el("h2", {}, title),
      parts,
      el(
        "div",
        { class: "buttons" },
        button("Cancel", () => dialog.close()),
        el("button", { type: "submit", class: danger ? "danger" : "primary" }, confirm),
      ),
    );
    const dialog = el("dialog", { "aria-label": title }, form);
    let values = null;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      values = Object.fromEntries(new FormData(form));
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(values);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
