// Two turns with LangChain's agent on each wire: `node langchain.mjs ADDRESS TOKEN`.

import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const [address, apiKey] = process.argv.slice(2);
const common = { model: "fake-1", apiKey, maxRetries: 0, maxTokens: 500 };
const configuration = { baseURL: `${address}/openai/v1` };
const models = {
  chat: new ChatOpenAI({ ...common, configuration }),
  responses: new ChatOpenAI({ ...common, configuration, useResponsesApi: true }),
  messages: new ChatAnthropic({ ...common, anthropicApiUrl: `${address}/anthropic` }),
};

for (const [name, model] of Object.entries(models)) {
  const agent = createAgent({ model, tools: [], systemPrompt: "You are brief." });
  const first = await agent.invoke({ messages: [{ role: "user", content: `My sister Ingeborg moves to Bergen (${name}).` }] });
  const again = [...first.messages, { role: "user", content: `And when (${name})?` }];
  console.log((await agent.invoke({ messages: again })).messages.at(-1).text);
}
