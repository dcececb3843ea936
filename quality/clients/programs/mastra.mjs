// Mastra
// install: npm @mastra/core@1.71.0 @ai-sdk/mistral@4.0.84 zod@4.6.7
// checks: chat, stream, tools, structured

import { createMistral } from '@ai-sdk/mistral';
import { Agent } from '@mastra/core/agent';

const mistral = createMistral({
  baseURL: `${process.env.TRAMONTANE_URL}/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const model = mistral('mistral-small-latest');
const agent = new Agent({ id: 'weather', name: 'Weather', instructions: 'Name the wind.', model });
const question = 'Which wind blows from the north?';
console.log('chat:', (await agent.generate(question)).text);

// ---
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

let streamed = '';
for await (const part of (await agent.stream(question)).textStream) streamed += part;
console.log('stream:', streamed);

const order_status = createTool({
  id: 'order_status',
  description: 'When an order arrives',
  inputSchema: z.object({ order_id: z.string() }),
  execute: async (input) => `${(input.context ?? input).order_id} arrives on Thursday`,
});
const clerk = new Agent({ id: 'clerk', name: 'Clerk', instructions: 'Help.', model, tools: { order_status } });
console.log('tools:', (await clerk.generate('When does my order A-17 arrive?')).text);

const schema = z.object({ name: z.string(), city: z.string() });
const { object } = await agent.generate(question, { structuredOutput: { schema } });
console.log(`structured: ${object.name}, ${object.city}`);
