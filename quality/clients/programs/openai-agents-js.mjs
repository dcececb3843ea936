// OpenAI Agents SDK for JavaScript
// install: npm @openai/agents@0.20.0 openai@7.53.0 zod@4.6.7
// checks: chat, stream, tools, structured, responses

import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
setDefaultOpenAIClient(
  new OpenAI({ baseURL: `${process.env.TRAMONTANE_URL}/openai/v1`, apiKey: process.env.TRAMONTANE_API_KEY }),
);
const model = 'mistral-small-latest';
const agent = new Agent({ name: 'Meteorologist', instructions: 'Name the wind.', model });
const question = 'Which wind blows from the north?';
console.log('chat:', (await run(agent, question)).finalOutput);

// ---
import assert from 'node:assert/strict';
import { setOpenAIAPI, tool } from '@openai/agents';
import { z } from 'zod';

const order_status = tool({
  name: 'order_status',
  description: 'When an order arrives',
  parameters: z.object({ order_id: z.string() }),
  execute: async ({ order_id }) => `${order_id} arrives on Thursday`,
});
const clerk = new Agent({ name: 'Clerk', instructions: 'Help.', model, tools: [order_status] });
const desk = new Agent({ name: 'Desk', instructions: 'Find the right one.', model, handoffs: [agent, clerk] });
const outputType = z.object({ name: z.string(), city: z.string() });
const finder = new Agent({ name: 'Finder', instructions: 'Who lives where?', model, outputType });

async function tryApi(api) {
  setOpenAIAPI(api);
  const tools = (await run(clerk, 'When does my order A-17 arrive?')).finalOutput;
  const { finalOutput: person } = await run(finder, 'Ada lives in Perpignan');
  const handed = await run(desk, 'Call transfer_to_Meteorologist with {}');
  assert.equal(handed.lastAgent.name, 'Meteorologist');
  const live = await run(agent, question, { stream: true });
  let stream = '';
  for await (const part of live.toTextStream()) stream += part;
  return { tools, structured: `${person.name}, ${person.city}`, stream };
}

const shown = await tryApi('responses');
assert.deepEqual(await tryApi('chat_completions'), shown);
for (const [check, text] of Object.entries(shown)) console.log(`${check}: ${text}`);
setOpenAIAPI('responses');
const first = await run(agent, question);
const second = await run(agent, question, { previousResponseId: first.lastResponseId });
console.log('responses:', second.finalOutput);
