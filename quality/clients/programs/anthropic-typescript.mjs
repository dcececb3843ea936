// Anthropic SDK for TypeScript
// install: npm @anthropic-ai/sdk@1.8.0 zod@4.6.7
// checks: chat, stream, tools, structured
// refused: POST /anthropic/v1/messages 400
// note: The tool runner asks for a thread first, which is refused, and goes on without one; `thread: false` spares the question.

import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: `${process.env.TRAMONTANE_URL}/anthropic`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const common = { model: 'mistral-small-latest', max_tokens: 100 };
const messages = [{ role: 'user', content: 'Which wind blows from the north?' }];
const reply = await client.messages.create({ ...common, messages });
console.log('chat:', reply.content[0].text);

// ---
import assert from 'node:assert/strict';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';

assert((await client.messages.countTokens({ model: common.model, messages })).input_tokens > 0);
console.log('stream:', await client.messages.stream({ ...common, messages }).finalText());

const order_status = betaZodTool({
  name: 'order_status',
  description: 'When an order arrives',
  inputSchema: z.object({ order_id: z.string() }),
  run: async ({ order_id }) => `${order_id} arrives on Thursday`,
});
const told = await client.beta.messages.toolRunner({
  ...common,
  messages: [{ role: 'user', content: 'When does my order A-17 arrive?' }],
  tools: [order_status],
});
console.log('tools:', told.content[0].text);

const format = zodOutputFormat(z.object({ name: z.string(), city: z.string() }));
const { parsed_output: person } = await client.messages.parse({ ...common, messages, output_config: { format } });
console.log(`structured: ${person.name}, ${person.city}`);
