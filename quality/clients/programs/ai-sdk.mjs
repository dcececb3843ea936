// AI SDK by Vercel
// install: npm @ai-sdk/mistral@4.0.84 ai@7.0.169 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings

import { createMistral } from '@ai-sdk/mistral';
import { generateText } from 'ai';

const mistral = createMistral({
  baseURL: `${process.env.TRAMONTANE_URL}/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const model = mistral('mistral-small-latest');
const prompt = 'Which wind blows from the north?';
const { text } = await generateText({ model, prompt });
console.log('chat:', text);

// ---
import { embedMany, Output, stepCountIs, streamText, tool } from 'ai';
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

const { embeddings } = await embedMany({
  model: mistral.embeddingModel('mistral-embed'),
  values: ['the wind', 'the sea'],
});
console.log(`embeddings: ${embeddings.length} × ${embeddings[0].length}`);
