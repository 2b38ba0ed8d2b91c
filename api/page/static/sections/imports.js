// Handing in another program's export: by drag and drop, with progress, and the entries that were set aside.

import { LONGEST, Unreadable, portions, programOf, texts } from "../export_files.js";
import { button, el, field, fill, visible } from "../dom.js";
import { count, list, number } from "../words.js";

const PROGRAMS = [
  ["", "As the file shows"],
  ["chatgpt", "ChatGPT"],
  ["claude", "Claude"],
  ["sillytavern", "SillyTavern"],
  ["characterai", "Character.AI"],
  ["mem0", "mem0 or OpenMemory"],
  ["honcho", "Honcho"],
  ["other", "Another program"],
];
// The files of an archive that may hold chats.
const WANTED = /^((conversations|memories|projects|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})[-_ ()\d]*\.json|.*\.jsonl)$/i;
const WANTED_OF_OTHERS = /\.(jsonl?|csv)$/i;
const LISTED = 100;

/** The panel that takes files; an import goes on while the person looks at other sections of the page. */
export function importing(context) {
  if (!context.ingests || !context.manages)
    return el(
      "section",
      { class: "panel" },
      el("h2", {}, "Hand in earlier talk"),
      el("p", {}, "For this the login needs the scopes ", el("code", {}, "ingest"), " and ", el("code", {}, "manage"), "."),
    );
  const chosen = el("input", { type: "file", multiple: true, accept: ".zip,.byaf,.json,.jsonl,.csv,.txt" });
  const program = el("select", { name: "program" });
  for (const [value, label] of PROGRAMS) program.append(el("option", { value }, label));
  const outcome = el("div", { role: "status" });
  const drop = el("div", { class: "drop" }, field("Files: a ZIP as it was downloaded, .json, .jsonl, .csv or .txt", chosen));
  const take = async (files) => {
    if (!files.length) return;
    chosen.disabled = true;
    await takeIn(context, [...files], program.value, outcome);
    chosen.disabled = false;
    chosen.value = "";
  };
  chosen.addEventListener("change", () => take(chosen.files));
  for (const [name, over] of [["dragover", true], ["dragleave", false], ["drop", false]])
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", over);
      if (name === "drop" && !chosen.disabled) take(event.dataTransfer.files);
    });
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, "Hand in earlier talk"),
    el("p", {}, "Drop the export of another program here. Each message keeps its own time; the same file again changes nothing."),
    drop,
    field("Written by", program),
    outcome,
  );
}

async function takeIn(context, files, chosen, outcome) {
  const done = { messages: 0, retracted: 0, facts: 0, notes: 0, known: 0, erased: 0, shortened: 0, left_out: {}, set_aside: [] };
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Progress of the import" });
  const told = el("p", {}, "Reading …");
  fill(outcome, bar, told);
  try {
    for (const [at, file] of files.entries())
      try {
        // By the program: whose the entries are that come in of this file, or of all files of this archive.
        const owners = {};
        for await (const part of texts(file, (name) => (chosen === "other" ? WANTED_OF_OTHERS : WANTED).test(name))) {
          const program = chosen || programOf(part.text, part.name);
          if (!program) throw new Unreadable(`${part.name}: it does not show which program wrote it. Choose one below.`);
          const divided = portions(part.text, program);
          const items = divided.reduce((sum, portion) => sum + portion.items, 0);
          owners[program] ??= divided[0]?.owner;
          for (const portion of divided) {
            portion.owner = owners[program];
            await handIn(context, program, part, portion, done);
            bar.value = (at + (portion.first + portion.items) / items) / files.length;
            fill(told, `${visible(part.name)}: ${summary(done)} so far.`);
          }
        }
      } catch (problem) {
        // Of several files one that can't be read stops none of the others.
        if (files.length === 1 || !(problem instanceof Unreadable)) throw problem;
        done.set_aside.push({ place: file.name, reason: problem.message });
      }
    fill(outcome, report(context, done));
  } catch (problem) {
    const later = problem.status === 429 || problem.status === 503 ? " Hand in the same file again later: it goes on where it was." : "";
    fill(outcome, el("p", { class: "trouble" }, visible(problem.message) + later), report(context, done));
  }
}

async function handIn(context, program, part, portion, done) {
  const place = `${part.name}, ${portion.items === 1 ? `item ${portion.first + 1}` : `items ${portion.first + 1} to ${portion.first + portion.items}`}`;
  if (portion.text.length > LONGEST) {
    done.set_aside.push({ place, reason: "longer than one request may be; patrol import --from takes it in" });
    return;
  }
  const body = { program, text: portion.text, file: part.name.slice(-255), modified: part.modified.toISOString() };
  if (portion.owner != null) body.me = String(portion.owner);
  let answer;
  try {
    answer = await context.being.post("/imports", body);
  } catch (problem) {
    // Of several portions one that holds nothing readable, or too much, stops none of the others.
    if (![413, 422].includes(problem.status)) throw problem;
    done.set_aside.push({ place, reason: problem.message });
    return;
  }
  for (const name of ["messages", "retracted", "facts", "notes", "known", "erased", "shortened"]) done[name] += answer[name];
  for (const [reason, amount] of Object.entries(answer.left_out))
    done.left_out[reason] = (done.left_out[reason] ?? 0) + amount;
  done.set_aside.push(
    ...answer.set_aside.map((one) => ({
      ...one,
      place: one.place.replace(/^conversation (\d+)/, (_, at) => `conversation ${portion.first + Number(at)}`),
    })),
  );
}

function summary(done) {
  return list(
    [
      count(done.messages, "message"),
      done.facts && count(done.facts, "fact"),
      done.notes && count(done.notes, "note"),
      done.known && `${number(done.known)} known before`,
      done.set_aside.length && `${number(done.set_aside.length)} set aside`,
    ].filter(Boolean),
  );
}

function report(context, done) {
  const also = [
    done.retracted && `${number(done.retracted)} of the messages are on branches that you left, and count as retracted`,
    done.erased && `${number(done.erased)} had been erased before, and stay so`,
    done.shortened && `${number(done.shortened)} were shortened to 64 KB`,
    ...Object.entries(done.left_out).map(([reason, amount]) => `left out: ${reason} (${number(amount)})`),
  ].filter(Boolean);
  return [
    el("p", {}, el("strong", {}, `Taken in: ${summary(done)}.`), " ", done.messages ? el("a", { href: context.link("talk") }, "See the talk") : null),
    also.length ? el("ul", { class: "preview" }, also.map((one) => el("li", {}, visible(one)))) : null,
    done.set_aside.length
      ? el(
          "details",
          { open: true },
          el("summary", {}, `Set aside: ${number(done.set_aside.length)}, which could not be taken in`),
          el(
            "ul",
            { class: "preview aside" },
            done.set_aside.slice(0, LISTED).map((one) => el("li", {}, visible(`${one.place}: ${one.reason}`))),
            done.set_aside.length > LISTED ? el("li", {}, `and ${number(done.set_aside.length - LISTED)} more`) : null,
          ),
        )
      : null,
  ];
}
