// One memory: its words, its strength, the messages it rests on, its history, and the changes that a person can make.

import { IN_STORY, change } from "./actions.js";
import { askInDialog, button, el, empty, field, pairs, userText, visible } from "./dom.js";
import { meter } from "./map.js";
import { muteButton, mutesOf } from "./mutes.js";
import { paged } from "./paged.js";
import { count, day, fading, moment, share, speaker, state } from "./words.js";

const EVENTS = {
  born: (detail) => `became a memory, importance ${share(detail.importance)}`,
  assigned: (detail, named) => ["found its place in ", named(detail.to)],
  moved: (detail, named) => ["moved from ", named(detail.from), " to ", named(detail.to)],
  dying: (detail) => `began to fade away, ${count(detail.session_count, "patrol")} after it was last found`,
  "active again": (detail) => `came back, having been ${detail.from}`,
  absorbed: (detail, named) => ["was merged into ", named(detail.into)],
  "took in": (detail, named) => ["took in ", named(detail.absorbed)],
  weighed: (detail) => `weighs ${share(detail.to)} now, before ${share(detail.from)}`,
  dead: () => "was let go",
};

export async function view(context) {
  const { being } = context;
  const [story, map, prompts, mutes] = await Promise.all([
    being.get(`/nodes/${context.ids[0]}/history`),
    being.get("/clusters"),
    promptsShowing(context, context.ids[0]),
    mutesOf(context),
  ]);
  const { node } = story;
  const topic = map.clusters.find((cluster) => cluster.cluster_id === node.cluster_id);
  return [
    el("p", {}, el("a", { href: context.link("map"), class: "back" }, "← Map")),
    el(
      "article",
      { class: "memory" },
      el(
        "p",
        { class: "when" },
        (node.scene.when || []).map((when) =>
          userText(typeof when === "string" ? when : `${when.date} ${when.action}`),
        ),
        node.scene.setting ? [" · ", userText(node.scene.setting)] : null,
      ),
      userText(node.scene.action, "h1"),
      (node.scene.dialogue || []).map((line) => userText(line, "blockquote")),
      node.feeling ? userText(node.feeling, "p", { class: "feeling" }) : null,
      el(
        "p",
        { class: "state" },
        meter(node),
        el("strong", { class: `chip ${state(node)}` }, state(node)),
        ` ${fading(node)} · strength ${share(node.effective_importance)} of ${share(node.importance)} after ${count(node.session_count, "patrol")}`,
      ),
      actionButtons(context, story, mutes),
      pairs(
        topic && ["Topic", userText(topic.name)],
        node.scene.actors?.length && ["Who was there", userText(node.scene.actors.join(", "))],
        node.themes.length && ["Themes", userText(node.themes.join(", "))],
        [
          "Found",
          node.reactivation_count
            ? `${count(node.reactivation_count, "time")}, last on ${day(node.last_activated)}`
            : "not yet",
        ],
        story.final_survivor && [
          "Lives on in",
          el("a", { href: context.link("memory", story.final_survivor) }, "the memory that took it in"),
        ],
      ),
      sources(context, story),
      storySection(context, story, map.clusters),
      prompts,
    ),
  ];
}

/** The words that the memory rests on: the note that was handed in, and the messages. */
function sources(context, story) {
  const note = story.note;
  return el(
    "section",
    {},
    el("h2", {}, "What it rests on"),
    note
      ? el(
          "p",
          {},
          note.origin === "talk" ? "Drawn from talk" : "Handed in",
          ` on ${day(note.received_at)}`,
          note.producer_id ? [" as ", userText(note.producer_id, "code")] : null,
        )
      : null,
    story.messages.length
      ? el(
          "ol",
          { class: "talk" },
          story.messages.map((message) =>
            el(
              "li",
              { class: message.role },
              el(
                "span",
                { class: "hint" },
                userText(speaker(context, message)),
                ` · ${moment(message.created_at)}`,
              ),
              userText(message.content, "p"),
            ),
          ),
        )
      : null,
    story.absorbed.length
      ? [
          el("h3", {}, "Memories that it took in"),
          el(
            "ul",
            { class: "lines" },
            story.absorbed.map((other) =>
              el("li", {}, el("a", { href: context.link("memory", other.node_id) }, userText(other.scene.action))),
            ),
          ),
        ]
      : null,
  );
}

function storySection(context, story, clusters) {
  const names = new Map(clusters.map((cluster) => [cluster.cluster_id, userText(`“${cluster.name}”`)]));
  const memories = new Map(story.absorbed.map((other) => [other.node_id, other.scene.action]));
  const named = (id) =>
    names.get(id)?.cloneNode(true) ??
    (memories.has(id)
      ? el("a", { href: context.link("memory", id) }, userText(memories.get(id)))
      : el("span", {}, "another one"));
  return el(
    "section",
    {},
    el("h2", {}, "Its story"),
    el(
      "ol",
      { class: "story" },
      story.history.map((event) =>
        el(
          "li",
          {},
          el("time", { datetime: event.happened_at }, day(event.happened_at)),
          el(
            "span",
            {},
            (EVENTS[event.event] ?? (() => `was ${visible(event.event)}`))(event.detail, named),
            event.detail.response_id ? el("span", { class: "hint" }, " as a model decided") : null,
          ),
        ),
      ),
    ),
  );
}

/** The prompts that showed a memory or a fact. */
export async function promptsShowing(context, id) {
  const list = el("ol", { class: "lines prompts" });
  const line = (one) =>
    el(
      "li",
      { "data-id": one.context_id },
      el("a", { href: context.link("prompts", one.context_id) }, moment(one.created_at)),
      el("span", { class: "hint" }, visible(one.process)),
    );
  const more = await paged(
    context,
    "prompts",
    list,
    (query) => context.being.get("/contexts", { shows: id, limit: 20, ...query }),
    (page) => page.contexts.map(line),
  );
  return el(
    "section",
    {},
    el("h2", {}, "In prompts"),
    list.childElementCount ? [list, more] : empty("No stored prompt has shown it."),
  );
}

function actionButtons(context, story, mutes) {
  if (!context.manages) return null;
  const { being } = context;
  const { node } = story;
  const path = `/nodes/${node.node_id}`;
  const pin = (pinned) => () => being.patch(path, { pinned });
  const forget = () => being.delete(path);
  const revive = () => being.post(`${path}/revive`);
  const back = () => being.post(`${path}/undo`);
  return el(
    "div",
    { class: "buttons" },
    node.status !== "dead" && !node.pinned
      ? button("Pin", () => change("Pinned: it will not fade.", pin(true), pin(false), IN_STORY))
      : null,
    node.pinned ? button("Unpin", () => change("It may fade again.", pin(false), pin(true), IN_STORY)) : null,
    node.status !== "dead" && !node.pinned
      ? button("Forget", () => change("Forgotten: nothing finds it.", forget, back, IN_STORY))
      : null,
    node.status !== "active"
      ? button("Revive", () => change("It is remembered again.", revive, back, IN_STORY), { class: "primary" })
      : null,
    button("Correct", () => correct(context, story)),
    muteButton(context, mutes, "node", node.node_id),
    button("Erase …", () => erase(context, story), { class: "danger quiet" }),
  );
}

async function correct(context, story) {
  const { node } = story;
  const action = el("textarea", { name: "action", rows: 4, required: true, dir: "auto" });
  action.value = node.scene.action;
  const feeling = el("textarea", { name: "feeling", rows: 2, dir: "auto" });
  feeling.value = node.feeling ?? "";
  const importance = el("input", {
    type: "number",
    name: "importance",
    min: 0,
    max: 1,
    step: 0.01,
    value: node.importance.toFixed(2),
  });
  const given = await askInDialog("Correct the memory", [
    field("What happened", action),
    field("Feeling", feeling),
    field("Importance, 0 to 1", importance),
  ]);
  if (!given) return;
  const before = { action: node.scene.action, feeling: node.feeling, importance: node.importance };
  const after = {
    action: given.action,
    feeling: given.feeling || null,
    importance: given.importance === node.importance.toFixed(2) ? node.importance : Number(given.importance),
  };
  const path = `/nodes/${node.node_id}`;
  await change(
    "Corrected.",
    () => context.being.patch(path, after),
    () => context.being.patch(path, before),
    { stays: "Its words are as before; that it was corrected stays in its story." },
  );
}

async function erase(context, story) {
  const given = await askInDialog(
    "Erase for good?",
    [
      el("p", {}, "This can’t be undone. To let it rest and bring it back later, forget it instead. These would go:"),
      el(
        "ul",
        { class: "preview" },
        el("li", {}, "this memory, with its history"),
        story.note ? el("li", {}, `the note from ${day(story.note.received_at)}`) : null,
        story.absorbed.map((other) =>
          el("li", {}, "the memory ", userText(`“${other.scene.action}”`), ", which it took in, with its note"),
        ),
        story.messages.length
          ? el("li", {}, `not the ${count(story.messages.length, "message")} that it rests on: erase these under Talk`)
          : null,
      ),
    ],
    { confirm: "Erase for good", danger: true },
  );
  if (!given) return;
  await change("Erased for good.", () => context.being.post(`/nodes/${story.node.node_id}/erase`), null, {
    leave: () => context.go("map"),
  });
}
