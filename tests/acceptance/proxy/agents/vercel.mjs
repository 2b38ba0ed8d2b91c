// Two turns with the Vercel AI SDK on each wire: `node vercel.mjs ADDRESS TOKEN`.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText } from "ai";

const [address, apiKey] = process.argv.slice(2);
const openai = createOpenAI({ baseURL: `${address}/openai/v1`, apiKey });
const anthropic = createAnthropic({ baseURL: `${address}/anthropic/v1`, apiKey });
const common = { system: "You are brief.", maxOutputTokens: 500, maxRetries: 0 };

for (const [name, model] of [["responses", openai("fake-1")], ["chat", openai.chat("fake-1")], ["messages", anthropic("fake-1")]]) {
  const first = [{ role: "user", content: `My sister Ingeborg moves to Bergen (${name}).` }];
  const { response } = await generateText({ ...common, model, messages: first });
  const messages = [...first, ...response.messages, { role: "user", content: `And when (${name})?` }];
  console.log(await streamText({ ...common, model, messages }).text);
}
