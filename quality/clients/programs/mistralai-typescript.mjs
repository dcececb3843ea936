// Mistral SDK for TypeScript
// install: npm @mistralai/mistralai@2.7.0 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings, fim, ocr, agents, files, transcription, live

import { Mistral } from '@mistralai/mistralai';

const mistral = new Mistral({
  serverURL: process.env.TRAMONTANE_URL,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const model = 'mistral-small-latest';
const messages = [{ role: 'user', content: 'Which wind blows from the north?' }];
const reply = await mistral.chat.complete({ model, messages });
console.log('chat:', reply.choices[0].message.content);

// ---
import { readFileSync } from 'node:fs';
import { RealtimeTranscription } from '@mistralai/mistralai/extra/realtime/index.js';
import { z } from 'zod';

let streamed = '';
for await (const { data } of await mistral.chat.stream({ model, messages }))
  streamed += data.choices[0]?.delta.content ?? '';
console.log('stream:', streamed);

const parameters = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] };
const tools = [
  { type: 'function', function: { name: 'order_status', description: 'When an order arrives', parameters } },
];
const asked = [{ role: 'user', content: 'When does my order A-17 arrive?' }];
const { message } = (await mistral.chat.complete({ model, messages: asked, tools })).choices[0];
const [call] = message.toolCalls;
const { order_id } = JSON.parse(call.function.arguments);
const result = {
  role: 'tool',
  toolCallId: call.id,
  name: call.function.name,
  content: `${order_id} arrives on Thursday`,
};
const told = await mistral.chat.complete({ model, messages: [...asked, message, result], tools });
console.log('tools:', told.choices[0].message.content);

const responseFormat = z.object({ name: z.string(), city: z.string() });
const parsed = await mistral.chat.parse({ model, messages, responseFormat });
const person = parsed.choices[0].message.parsed;
console.log(`structured: ${person.name}, ${person.city}`);

const { data } = await mistral.embeddings.create({ model: 'mistral-embed', inputs: ['the wind', 'the sea'] });
console.log(`embeddings: ${data.length} × ${data[0].embedding.length}`);

const filled = await mistral.fim.complete({ model: 'codestral-latest', prompt: 'def add(a, b):\n', suffix: '\n' });
console.log('fim:', filled.choices[0].message.content);

const pdf = readFileSync(`${process.env.TRAMONTANE_EXAMPLES}/invoice.pdf`).toString('base64');
const document = { type: 'document_url', documentUrl: `data:application/pdf;base64,${pdf}` };
const { pages } = await mistral.ocr.process({ model: 'mistral-ocr-latest', document });
console.log('ocr:', pages[0].markdown.replaceAll(/\s+/g, ' '));

const agent = await mistral.beta.agents.create({ model, name: 'Meteorologist', instructions: 'Name the wind.' });
const { outputs } = await mistral.beta.conversations.start({ agentId: agent.id, inputs: messages[0].content });
console.log('agents:', outputs.at(-1).content);

const content = new Blob(['wind']);
const { id: fileId } = await mistral.files.upload({ file: { fileName: 'notes.txt', content }, purpose: 'ocr' });
console.log('files:', (await mistral.files.retrieve({ fileId })).filename);

const file = { fileName: 'a.wav', content: new Blob(['RIFF']) };
let heard = '';
for await (const { data: event } of await mistral.audio.transcriptions.stream({ model: 'voxtral-mini-latest', file }))
  if (event.type === 'transcription.text.delta') heard += event.text;
console.log('transcription:', heard);

async function* tone() {
  const samples = Int16Array.from({ length: 16_000 }, (_, at) => 9000 * Math.sin(at / 6));
  yield new Uint8Array(samples.buffer);
}
const realtime = new RealtimeTranscription({
  serverURL: process.env.TRAMONTANE_URL,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
for await (const event of realtime.transcribeStream(tone(), 'voxtral-mini-latest'))
  if (event.type === 'transcription.done') console.log('live:', event.text);
