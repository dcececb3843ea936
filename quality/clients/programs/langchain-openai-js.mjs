// LangChain for JavaScript, OpenAI package
// install: npm @langchain/openai@1.6.0 @langchain/core@1.2.13 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings, responses

import { ChatOpenAI } from '@langchain/openai';

const server = {
  apiKey: process.env.TRAMONTANE_API_KEY,
  configuration: { baseURL: `${process.env.TRAMONTANE_URL}/openai/v1` },
};
const model = new ChatOpenAI({ model: 'mistral-small-latest', ...server });
const question = 'Which wind blows from the north?';
console.log('chat:', (await model.invoke(question)).text);

// ---
import assert from 'node:assert/strict';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { OpenAIEmbeddings } from '@langchain/openai';
import { z } from 'zod';

const order_status = tool(async ({ order_id }) => `${order_id} arrives on Thursday`, {
  name: 'order_status',
  description: 'When an order arrives',
  schema: z.object({ order_id: z.string() }),
});

async function tryModel(one) {
  let stream = '';
  for await (const chunk of await one.stream(question)) stream += chunk.text;
  const bound = one.bindTools([order_status]);
  const asked = new HumanMessage('When does my order A-17 arrive?');
  const called = await bound.invoke([asked]);
  const [call] = called.tool_calls;
  const result = new ToolMessage({ content: await order_status.invoke(call.args), tool_call_id: call.id });
  const tools = (await bound.invoke([asked, called, result])).text;
  const schema = z.object({ name: z.string(), city: z.string() });
  const person = await one.withStructuredOutput(schema).invoke(question);
  return { stream, tools, structured: `${person.name}, ${person.city}` };
}

const shown = await tryModel(model);
const responses = new ChatOpenAI({ model: 'mistral-small-latest', useResponsesApi: true, ...server });
assert.deepEqual(await tryModel(responses), shown);
for (const [check, text] of Object.entries(shown)) console.log(`${check}: ${text}`);
console.log('responses:', (await responses.invoke(question)).text);

const embeddings = new OpenAIEmbeddings({ model: 'mistral-embed', ...server });
const vectors = await embeddings.embedDocuments(['the wind', 'the sea']);
console.log(`embeddings: ${vectors.length} × ${vectors[0].length}`);
