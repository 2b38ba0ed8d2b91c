// What the Being's models have cost, by day and purpose.

import { el, empty, userText } from "../dom.js";
import { count, date, money, number } from "../words.js";

export async function view(context) {
  const [{ spending, budgets }, { dropped }] = await Promise.all([
    context.being.get("/cost"),
    context.being.get("/judgements"),
  ]);
  const limits = budgetsOfToday(budgets);
  if (!spending.length) return [el("h1", {}, "Cost"), empty("No model was called."), ...limits];
  const days = new Map();
  for (const line of spending) days.set(line.day, (days.get(line.day) ?? 0) + Number(line.cost ?? 0));
  const most = Math.max(...days.values(), 1e-9);
  const shown = [...days].slice(0, 60).reverse();
  const total = spending.reduce((sum, line) => sum + Number(line.cost ?? 0), 0);
  // What a narrow screen shows without scrolling comes first.
  const columns = ["Day", "Purpose", "Cost", "Model", "Calls", "Tokens in", "Tokens out"];
  const amounts = new Set(["Cost", "Calls", "Tokens in", "Tokens out"]);
  return [
    el("h1", {}, "Cost"),
    el("p", { class: "lead" }, `${money(total)} on ${days.size} ${days.size === 1 ? "day" : "days"} that are kept.`),
    el(
      "div",
      { class: "days", role: "img", "aria-label": "Cost by day; the table below has the numbers." },
      shown.map(([day, cost]) => {
        const bar = el("span", { title: `${date(day)}: ${money(cost)}` });
        bar.style.height = `${(100 * cost) / most}%`;
        return bar;
      }),
    ),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cost by day and purpose" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            columns.map((name) => el("th", { scope: "col", class: amounts.has(name) && "amount" }, name)),
          ),
        ),
        el(
          "tbody",
          {},
          spending.map((line) =>
            el(
              "tr",
              {},
              el("th", { scope: "row", class: "day" }, line.day),
              el("td", {}, line.purpose.replaceAll("_", " ")),
              el("td", { class: "amount" }, money(line.cost)),
              userText(line.model, "td"),
              [line.calls, line.input_tokens, line.output_tokens].map((value) =>
                el("td", { class: "amount" }, number(value)),
              ),
            ),
          ),
        ),
      ),
    ),
    ...limits,
    ...(dropped.length ? droppedItems(dropped) : []),
  ];
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

// What is spent of the day's budgets; of the platform's the server tells no amounts.
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

// What models' answers said that broke a rule, or could not be read.
function droppedItems(dropped) {
  const columns = ["Purpose", "Items", "Reason"];
  return [
    el("h2", {}, "Dropped of the models' answers"),
    el("p", { class: "lead" }, "Single items that broke a rule or could not be read. The rest of each answer was kept."),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Dropped items by purpose and reason" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            columns.map((name) => el("th", { scope: "col", class: name === "Items" && "amount" }, name)),
          ),
        ),
        el(
          "tbody",
          {},
          dropped.map((line) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, line.purpose.replaceAll("_", " ")),
              el("td", { class: "amount" }, number(line.items)),
              el("td", {}, line.reason),
            ),
          ),
        ),
      ),
    ),
  ];
}
