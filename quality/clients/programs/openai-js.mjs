// OpenAI SDK for JavaScript
// install: npm openai@7.53.0 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings, transcription

import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.TRAMONTANE_URL}/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const model = 'mistral-small-latest';
const messages = [{ role: 'user', content: 'Which wind blows from the north?' }];
const reply = await client.chat.completions.create({ model, messages });
console.log('chat:', reply.choices[0].message.content);

// ---
import assert from 'node:assert/strict';
import { toFile } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';

let streamed = '';
for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
  streamed += chunk.choices[0]?.delta.content ?? '';
console.log('stream:', streamed);

const order_status = {
  type: 'function',
  function: {
    name: 'order_status',
    description: 'When an order arrives',
    parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
    parse: JSON.parse,
    function: async ({ order_id }) => `${order_id} arrives on Thursday`,
  },
};
const runner = client.chat.completions.runTools({
  model,
  messages: [{ role: 'user', content: 'When does my order A-17 arrive?' }],
  tools: [order_status],
});
console.log('tools:', await runner.finalContent());

const response_format = zodResponseFormat(z.object({ name: z.string(), city: z.string() }), 'person');
const parsed = await client.chat.completions.parse({ model, messages, response_format });
const person = parsed.choices[0].message.parsed;
console.log(`structured: ${person.name}, ${person.city}`);

const { data } = await client.embeddings.create({ model: 'mistral-embed', input: ['the wind', 'the sea'] });
console.log(`embeddings: ${data.length} × ${data[0].embedding.length}`);

const speech = client.withOptions({ baseURL: `${process.env.TRAMONTANE_URL}/openai/v1` });
const sound = await toFile(Buffer.from('RIFF'), 'a.wav');
const hear = (more) => speech.audio.transcriptions.create({ model: 'voxtral-mini-latest', file: sound, ...more });
const verbose = await hear({ response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] });
assert.deepEqual([verbose.language, verbose.words[1].word], ['english', 'tramontane,']);
assert.match(await hear({ response_format: 'srt' }), /00:00:00,000 --> 00:00:02,500/);
assert.match(await hear({ response_format: 'vtt' }), /^WEBVTT/);
assert.equal((await hear({ response_format: 'text' })).trim(), (await hear({})).text);
let heard = '';
for await (const event of await hear({ stream: true })) heard += event.delta ?? '';
console.log('transcription:', heard);
