// AI SDK by Vercel, OpenAI provider
// install: npm @ai-sdk/openai@4.0.114 ai@7.0.169 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings, responses
// note: `openai(…)` speaks the Responses API, `openai.chat(…)` chat completions.

import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

const openai = createOpenAI({
  baseURL: `${process.env.TRAMONTANE_URL}/openai/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const model = openai('mistral-small-latest');
const prompt = 'Which wind blows from the north?';
const { text } = await generateText({ model, prompt });
console.log('responses:', text);

// ---
import assert from 'node:assert/strict';
import { embedMany, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const order_status = tool({
  description: 'When an order arrives',
  inputSchema: z.object({ order_id: z.string() }),
  execute: async ({ order_id }) => `${order_id} arrives on Thursday`,
});
const asked = { prompt: 'When does my order A-17 arrive?', tools: { order_status }, stopWhen: stepCountIs(3) };
const schema = z.object({ name: z.string(), city: z.string() });

async function tryModel(one) {
  const { text: chat } = await generateText({ model: one, prompt });
  const stream = streamText({ model: one, prompt });
  let streamed = '';
  for await (const part of stream.textStream) streamed += part;
  assert.equal((await stream.usage).totalTokens, 10);
  const { text: tools } = await generateText({ model: one, ...asked });
  let told = '';
  for await (const part of streamText({ model: one, ...asked }).textStream) told += part;
  assert.equal(told, tools);
  const { output: person } = await generateText({ model: one, prompt, output: Output.object({ schema }) });
  return { chat, stream: streamed, tools, structured: `${person.name}, ${person.city}` };
}

const shown = await tryModel(openai.chat('mistral-small-latest'));
assert.deepEqual(await tryModel(model), shown);
const providerOptions = { openai: { store: false } };
assert.equal((await generateText({ model, ...asked, providerOptions })).text, shown.tools);
for (const [check, text] of Object.entries(shown)) console.log(`${check}: ${text}`);

const { embeddings } = await embedMany({
  model: openai.embeddingModel('mistral-embed'),
  values: ['the wind', 'the sea'],
});
console.log(`embeddings: ${embeddings.length} × ${embeddings[0].length}`);
