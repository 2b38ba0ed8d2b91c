// Against a live API: its address and a token are in MEMORY_URL and MEMORY_TOKEN, the token's Being has the slug `mira`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { after, test } from "node:test";
import { ApiError, MemoryPatrol, Unreachable } from "memory-patrol-client";

const { MEMORY_URL: url, MEMORY_TOKEN: token } = process.env;
const retries = { attempts: 4, firstWait: 10, longestWait: 50 };
const memory = new MemoryPatrol({ url, token, retries });
const scene = (action) => ({ type: "scene", content: { action, actors: ["Mira"], when: ["2026-03-02"] } });

/** Passes connections on to the API, but keeps back half of each of the next `losses` answers and cuts the connection. */
const proxy = { losses: 0, lost: 0 };
const server = createServer((client) => {
  const api = connect(Number(new URL(url).port), "127.0.0.1");
  client.pipe(api);
  api.on("data", (answer) => {
    if (proxy.losses > 0) {
      proxy.losses--;
      proxy.lost++;
      client.write(answer.subarray(0, answer.length / 2), () => client.destroy());
      api.destroy();
    } else client.write(answer);
  });
  api.on("end", () => client.end());
  for (const socket of [client, api]) socket.on("error", () => {});
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const lossy = new MemoryPatrol({ url: `http://127.0.0.1:${server.address().port}`, token, retries });
after(() => server.close());

test("an error has the problem's type and detail", async () => {
  const failed = await memory.showBeing("nobody").catch((error) => error);
  assert.ok(failed instanceof ApiError);
  assert.equal(failed.status, 404);
  assert.equal(failed.type, "urn:memory-patrol:problem:not-found");
  assert.match(failed.detail, /no Being/);
  assert.ok(failed.requestId);
  const invalid = await memory.recallMemories("mira", { limit: 0 }).catch((error) => error);
  assert.ok(invalid.members.errors.some((each) => each.place === "body.query"));
});

test("a page of a login is no receipt, and a path is never another", async () => {
  const page = async () => new Response("<h1>Log in</h1>", { headers: { "content-type": "text/html" } });
  const before = new MemoryPatrol({ url, token, retries, fetch: page });
  const failed = await before.handInMessages("mira", { role: "user", content: "Tea?" }).catch((error) => error);
  assert.ok(failed instanceof ApiError);
  const moved = createHttpServer((_, answer) => answer.writeHead(301, { location: `${url}/v1/beings` }).end());
  await new Promise((resolve) => moved.listen(0, "127.0.0.1", resolve));
  const elsewhere = new MemoryPatrol({ url: `http://127.0.0.1:${moved.address().port}`, token, retries });
  const redirected = await elsewhere.handInMessages("mira", { role: "user", content: "?" }).catch((error) => error);
  moved.close();
  assert.equal(redirected.status, 301);
  for (const name of ["", ".", ".."]) await assert.rejects(async () => memory.showBeing(name), TypeError);
});

test("lost answers double nothing and lose nothing", async () => {
  const lose = async (losses, ask) => {
    proxy.losses = losses;
    return await ask();
  };
  const receipt = await lose(2, () => lossy.handInNotes("mira", [scene("One."), scene("Two.")]));
  const rule = { name: "kindness", content: "Be kind." };
  const entry = await lose(2, () => lossy.addPersona("mira", "partner_rules", rule));
  const run = await lose(2, () => lossy.demandPatrol("mira"));
  await lose(1, () => lossy.removePersona("mira", "partner_rules", entry.entry_id));
  assert.equal(proxy.lost, 7);
  const { notes } = await memory.listNotes("mira");
  assert.deepEqual(notes.map((note) => note.note_id).sort(), [...receipt.ids].sort());
  assert.deepEqual((await memory.listPersona("mira", "partner_rules")).entries, []);
  const { patrols } = await memory.listPatrols("mira");
  assert.deepEqual(patrols.map((each) => each.run_id), [run.run_id]);
});

test("what no request can be sent with is refused, and not repeated", async () => {
  for (const [address, secret] of [
    [undefined, token],
    ["localhost:8765", token],
    ["http://user:secret@127.0.0.1:8765", token],
    ["http://127.0.0.1:8765/?key=secret", token],
    ["http://127.0.0.1:secret", token],
    [url, undefined],
    [url, "patrol_secret…"],
  ]) {
    assert.throws(() => new MemoryPatrol({ url: address, token: secret }), (error) => {
      return error instanceof TypeError && /^The (URL|token)/.test(error.message) && !error.message.includes("secret");
    });
  }
});

test("a setting that is undefined is the default, and a time in a query is a Date", async () => {
  let asked = 0;
  const answers = (status) => async (address) => {
    asked++;
    if (status === 200) assert.equal(new URL(address).searchParams.get("until"), "2026-03-02T06:10:00.000Z");
    return new Response("{}", { status, headers: { "content-type": "application/json", "retry-after": "0" } });
  };
  const defaults = { attempts: undefined, firstWait: undefined };
  const away = new MemoryPatrol({ url, token: `${token}\n`, retries: defaults, fetch: answers(503) });
  await assert.rejects(away.listBeings(), ApiError);
  assert.equal(asked, 6);
  const there = new MemoryPatrol({ url: `${url}/ \n`, token, fetch: answers(200) });
  await there.listDue("mira", { until: new Date("2026-03-02T06:10:00Z") });
});

test("a server that never answers is told", async () => {
  proxy.losses = 100;
  await assert.rejects(lossy.listBeings(), (error) => {
    assert.ok(error instanceof Unreachable);
    assert.match(error.message, /^No answer from http:\/\/127\.0\.0\.1:\d+ to GET, after 4 attempts: [^.]+\.$/);
    return true;
  });
  proxy.losses = 0;
});

test("any number of messages goes in batches, and comes back in pages", async () => {
  const messages = Array.from({ length: 25 }, (_, number) => ({ id: `m${number}`, role: "user", content: `${number}.` }));
  const accepted = [];
  for await (const receipt of memory.messageBatches("mira", messages, 10)) accepted.push(receipt.accepted);
  assert.deepEqual(accepted, [10, 10, 5]);
  const { sessions } = await memory.listSessions("mira");
  const said = [];
  const list = (cursor) => memory.listMessages("mira", sessions[0].session_id, { cursor, limit: 10 });
  for await (const page of memory.pages(list)) said.push(...page.messages.map((message) => message.content));
  assert.equal(said.length, 25);
});

test("a patrol's progress is seen until it is done", async () => {
  const states = [];
  for await (const report of memory.patrol("mira", 50)) states.push(report.state);
  assert.equal(states.at(-1), "done");
});

test("an export arrives line by line", async () => {
  const lines = [];
  for await (const line of memory.exportBeing("mira")) lines.push(JSON.parse(line));
  assert.ok(lines.length > 25);
});

test("every route is reached", async () => {
  for (const { name, path, body, lines } of JSON.parse(readFileSync("operations.json", "utf8"))) {
    const sent = [...path, ...(body === null ? [] : [body])];
    const ask = async () => {
      const answer = memory[name](...sent);
      if (lines) for await (const line of answer) assert.ok(line);
      await answer;
    };
    const refused = await ask().then(() => null, (error) => error);
    if (refused === null) continue;
    assert.ok(refused instanceof ApiError, `${name}: ${refused}`);
    assert.ok([403, 404, 409, 422, 503].includes(refused.status), `${name}: ${refused.status}`);
    assert.notEqual(refused.detail, "There is no route at this path.", name);
  }
});
