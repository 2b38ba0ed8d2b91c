// The cost of the Being's models by day; for operators also by purpose and model.

import { el, empty, userText } from "../dom.js";
import { table } from "../paged.js";
import { count, date, day, money, number } from "../words.js";

const PURPOSES = {
  ask: "answers to questions",
  ask_plan: "what to look for, of questions",
  chat: "answers in chats",
  classify: "finding topics",
  close: "summaries of conversations",
  close_short: "summaries of short conversations",
  consolidate: "merging memories",
  correct: "comparing corrections",
  diary: "the diary",
  embed: "comparing meanings",
  fold: "joining facts",
  judge: "facts from talk",
  name: "names of topics",
  recall: "recalling memories",
  reconcile: "facts told anew",
  repair: "mending notes",
  retrieve: "finding facts",
  rolling: "the summary of late",
  scenes: "memories from talk",
  spine: "the summary of all talk",
  split: "dividing topics",
};
const purpose = (name) => PURPOSES[name] ?? name.replaceAll("_", " ");
const amounts = ["Cost", "Calls", "Items"];

export async function view(context) {
  const [{ spending, budgets }, { dropped }] = await Promise.all([
    context.being.get("/cost"),
    context.being.get("/judgements"),
  ]);
  const limits = budgetsOfToday(budgets);
  if (!spending.length) return [el("h1", {}, "Cost"), empty("No model was called."), ...limits];
  const days = new Map();
  for (const line of spending) {
    const { cost, calls } = days.get(line.day) ?? { cost: 0, calls: 0 };
    days.set(line.day, { cost: cost + Number(line.cost ?? 0), calls: calls + line.calls });
  }
  const most = Math.max(...[...days.values()].map(({ cost }) => cost), 1e-9);
  const shown = [...days].slice(0, 60).reverse();
  const total = [...days.values()].reduce((sum, { cost }) => sum + cost, 0);
  return [
    el("h1", {}, "Cost"),
    el("p", { class: "lead" }, `${money(total)} on ${days.size} ${days.size === 1 ? "day" : "days"} that are kept.`),
    el(
      "div",
      { class: "days", role: "img", "aria-label": "Cost by day; the table below has the numbers." },
      shown.map(([when, { cost }]) => {
        const bar = el("span", { title: `${date(when)}: ${money(cost)}` });
        bar.style.height = `${(100 * cost) / most}%`;
        return bar;
      }),
    ),
    table(
      "Cost by day",
      ["Day", "Cost", "Calls"],
      amounts,
      el("tbody", { class: "by-day" }, [...days].map(([when, { cost, calls }]) => row(date(when), money(cost), number(calls)))),
    ),
    ...limits,
    context.manages ? [byPurpose(spending), dropped.length ? droppedItems(dropped) : null] : null,
  ];
}

const row = (name, ...values) =>
  el("tr", {}, el("th", { scope: "row" }, name), values.map((value) => el("td", { class: "amount" }, value)));

// Model and tokens stand below the purpose, so that a narrow screen has room for all of it.
function byPurpose(spending) {
  return el(
    "details",
    { class: "apart" },
    el("summary", {}, "By purpose and model"),
    table(
      "Cost by day, purpose and model",
      ["Day", "For", "Cost", "Calls"],
      amounts,
      el(
        "tbody",
        { class: "by-purpose" },
        spending.map((line) =>
          el(
            "tr",
            { "data-day": line.day, "data-purpose": line.purpose },
            el("th", { scope: "row", class: "day" }, day(`${line.day}T12:00:00`)),
            el(
              "td",
              {},
              purpose(line.purpose),
              el(
                "span",
                { class: "hint" },
                userText(line.model),
                ` · ${number(line.input_tokens)} tokens in, ${number(line.output_tokens)} out`,
              ),
            ),
            el("td", { class: "amount" }, money(line.cost)),
            el("td", { class: "amount" }, number(line.calls)),
          ),
        ),
      ),
    ),
  );
}

const BUDGETS = {
  being: "This companion's",
  user: "Yours, for all companions",
  proxy: "Yours, for chat completions",
  platform: "The platform's",
};
const STATES = {
  open: "open",
  near: "80 % or more spent",
  reached: "spent: what needs a model waits until tomorrow",
};

// The spent part of the day's budgets; the server gives no amounts of the platform's.
function budgetsOfToday(budgets) {
  if (!budgets.length) return [];
  return [
    el("h2", {}, "Budgets of today"),
    el(
      "ul",
      { class: "budgets" },
      budgets.map((each) => {
        const spent = [
          each.limit_cost !== null && `${money(each.spent_cost)} of ${money(each.limit_cost)}`,
          each.limit_tokens !== null && `${number(each.spent_tokens)} of ${count(each.limit_tokens, "token")}`,
          STATES[each.state],
        ];
        return el("li", {}, `${BUDGETS[each.budget]}: ${spent.filter(Boolean).join(", ")}.`);
      }),
    ),
  ];
}

// Items of models' answers that broke a rule, or could not be read.
function droppedItems(dropped) {
  return el(
    "details",
    { class: "apart" },
    el("summary", {}, "Dropped of the models’ answers"),
    el("p", { class: "lead" }, "Single items that broke a rule or could not be read. The rest of each answer was kept."),
    table(
      "Dropped items by purpose and reason",
      ["For", "Items", "Reason"],
      amounts,
      el(
        "tbody",
        { class: "dropped" },
        dropped.map((line) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, purpose(line.purpose)),
            el("td", { class: "amount" }, number(line.items)),
            el("td", {}, line.reason),
          ),
        ),
      ),
    ),
  );
}
