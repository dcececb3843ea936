// LangChain for JavaScript
// install: npm @langchain/mistralai@1.2.0 @langchain/core@1.2.13 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings

import { ChatMistralAI } from '@langchain/mistralai';

const server = { serverURL: process.env.TRAMONTANE_URL, apiKey: process.env.TRAMONTANE_API_KEY };
const model = new ChatMistralAI({ model: 'mistral-small-latest', ...server });
const question = 'Which wind blows from the north?';
console.log('chat:', (await model.invoke(question)).content);

// ---
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MistralAIEmbeddings } from '@langchain/mistralai';
import { z } from 'zod';

let streamed = '';
for await (const chunk of await model.stream(question)) streamed += chunk.content;
console.log('stream:', streamed);

const orderStatus = tool(async ({ order_id }) => `${order_id} arrives on Thursday`, {
  name: 'order_status',
  description: 'When an order arrives',
  schema: z.object({ order_id: z.string() }),
});
const withTools = model.bindTools([orderStatus]);
const messages = [new HumanMessage('When does my order A-17 arrive?')];
const asked = await withTools.invoke(messages);
messages.push(asked, await orderStatus.invoke(asked.tool_calls[0]));
console.log('tools:', (await withTools.invoke(messages)).content);

const Person = z.object({ name: z.string(), city: z.string() });
const person = await model.withStructuredOutput(Person, { name: 'person' }).invoke(question);
console.log(`structured: ${person.name}, ${person.city}`);

const embeddings = new MistralAIEmbeddings({ model: 'mistral-embed', ...server });
const vectors = await embeddings.embedDocuments(['the wind', 'the sea']);
console.log(`embeddings: ${vectors.length} × ${vectors[0].length}`);
