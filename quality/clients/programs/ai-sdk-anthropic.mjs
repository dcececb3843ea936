// AI SDK by Vercel, Anthropic provider
// install: npm @ai-sdk/anthropic@4.0.102 ai@7.0.169 zod@4.6.7
// checks: chat, stream, tools, structured

import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText } from 'ai';

const anthropic = createAnthropic({
  baseURL: `${process.env.TRAMONTANE_URL}/anthropic/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const model = anthropic('mistral-small-latest');
const prompt = 'Which wind blows from the north?';
const { text } = await generateText({ model, prompt });
console.log('chat:', text);

// ---
import { Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

let streamed = '';
for await (const part of streamText({ model, prompt }).textStream) streamed += part;
console.log('stream:', streamed);

const order_status = tool({
  description: 'When an order arrives',
  inputSchema: z.object({ order_id: z.string() }),
  execute: async ({ order_id }) => `${order_id} arrives on Thursday`,
});
const called = await generateText({
  model,
  prompt: 'When does my order A-17 arrive?',
  tools: { order_status },
  stopWhen: stepCountIs(3),
});
console.log('tools:', called.text);

const output = Output.object({ schema: z.object({ name: z.string(), city: z.string() }) });
const { output: person } = await generateText({ model, prompt, output });
console.log(`structured: ${person.name}, ${person.city}`);
