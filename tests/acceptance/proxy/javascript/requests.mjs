// Sends requests with OpenAI's and Anthropic's JavaScript SDKs. Each line of stdin names one, as {"do", "token", "body", …}; each line of
// stdout says what the SDK made of the answer.

import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { APIError } from "openai";

let client, claude;

const bytesOf = async (answer) => Buffer.from(await answer.arrayBuffer()).toString("base64");

const doings = {
  // The bytes of a response, and what the SDK makes of the same as a stream.
  async response({ body }) {
    const bytes = await bytesOf(await client.responses.create(body).asResponse());
    const streamed = await client.responses.stream(body).finalResponse();
    return { bytes, text: streamed.output_text };
  },
  // The bytes of a message, what the SDK makes of the same as a stream, and a count of tokens.
  async message({ body }) {
    const bytes = await bytesOf(await claude.messages.create(body).asResponse());
    const streamed = await claude.messages.stream(body).finalMessage();
    const { max_tokens: _, ...prompt } = body;
    const { input_tokens: tokens } = await claude.messages.countTokens(prompt);
    return { bytes, text: streamed.content.at(-1).text, tokens };
  },
  // The answer's bytes and headers, before the SDK reads them.
  async raw({ body }) {
    const answer = await client.chat.completions.create(body).asResponse();
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { bytes: bytes.toString("base64"), headers: Object.fromEntries(answer.headers) };
  },
  // The answer as the SDK parses it.
  async parsed({ body }) {
    return await client.chat.completions.create(body);
  },
  // The words of a stream's events, and whether it ended or broke off.
  async streamed({ body }) {
    const words = [];
    try {
      for await (const event of await client.chat.completions.create({ ...body, stream: true }))
        words.push(event.choices[0]?.delta?.content ?? null);
    } catch (fault) {
      return { words, fault: fault.constructor.name };
    }
    return { words, fault: null };
  },
  // The SDK's own reading of a stream into one message, tool calls included.
  async gathered({ body }) {
    return await client.chat.completions.stream(body).finalMessage();
  },
  // A stream that is left after so many events.
  async left({ body, after }) {
    const words = [];
    for await (const event of await client.chat.completions.create({ ...body, stream: true })) {
      words.push(event.choices[0].delta.content);
      if (words.length === after) break;
    }
    return { words };
  },
  // A request that is aborted when a line comes, before any answer did.
  async aborted({ body }, nextLine) {
    const aborting = new AbortController();
    const asked = client.chat.completions.create(body, { signal: aborting.signal });
    asked.catch(() => {});
    await nextLine();
    aborting.abort();
    return await asked;
  },
  async models() {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    return { ids };
  },
};

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const nextLine = async () => (await lines.next()).value;
for (let line = await nextLine(); line !== undefined; line = await nextLine()) {
  const asked = JSON.parse(line);
  client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: asked.token, maxRetries: 0, timeout: 120_000 });
  claude = new Anthropic({ baseURL: process.env.ANTHROPIC_URL, apiKey: asked.token, maxRetries: 0 });
  let told;
  try {
    told = { result: await doings[asked.do](asked, nextLine) };
  } catch (fault) {
    const { status, code, param, type } = fault instanceof APIError ? fault : {};
    const retryAfter = fault.headers?.get?.("retry-after") ?? null;
    told = { fault: fault.constructor.name, status, code, param, type, retryAfter, message: fault.message };
  }
  console.log(JSON.stringify(told));
}
