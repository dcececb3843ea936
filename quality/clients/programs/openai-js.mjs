// OpenAI SDK for JavaScript
// install: npm openai@7.53.0 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings, files, responses, batches, transcription

import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.TRAMONTANE_URL}/openai/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const model = 'mistral-small-latest';
const messages = [{ role: 'user', content: 'Which wind blows from the north?' }];
const reply = await client.chat.completions.create({ model, messages });
console.log('chat:', reply.choices[0].message.content);

// ---
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { toFile } from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';

const stream = client.chat.completions.stream({ model, messages, stream_options: { include_usage: true } });
const streamed = await stream.finalContent();
assert.equal((await stream.totalUsage()).total_tokens, 10);
console.log('stream:', streamed);

const parameters = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] };
const order_status = {
  type: 'function',
  function: {
    name: 'order_status',
    description: 'When an order arrives',
    parameters,
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

const Person = z.object({ name: z.string(), city: z.string() });
const response_format = zodResponseFormat(Person, 'person');
const parsed = await client.chat.completions.parse({ model, messages, response_format });
const person = parsed.choices[0].message.parsed;
const text = { format: zodTextFormat(Person, 'person') };
assert.deepEqual((await client.responses.parse({ model, input: 'Who?', text })).output_parsed, person);
console.log(`structured: ${person.name}, ${person.city}`);

const { data } = await client.embeddings.create({ model: 'mistral-embed', input: ['the wind', 'the sea'] });
console.log(`embeddings: ${data.length} × ${data[0].embedding.length}`);

const notes = await client.files.create({
  file: await toFile(Buffer.from('north'), 'notes.txt'),
  purpose: 'user_data',
});
assert.equal(await (await client.files.content(notes.id)).text(), 'north');
await client.files.delete(notes.id);
console.log('files:', notes.filename);

const first = await client.responses.create({ model, input: 'Which wind blows from the north?' });
assert.deepEqual((await client.responses.retrieve(first.id)).output, first.output);
const tools = [{ type: 'function', name: 'order_status', strict: false, parameters }];
const asked = await client.responses.create({
  model,
  input: 'When does my order A-17 arrive?',
  previous_response_id: first.id,
  tools,
});
const { call_id } = asked.output.find(({ type }) => type === 'function_call');
const output = { type: 'function_call_output', call_id, output: 'A-17 arrives on Thursday' };
const told = await client.responses.create({ model, input: [output], previous_response_id: asked.id });
assert.match(told.output_text, /Thursday/);
const items = await client.responses.inputItems.list(told.id);
assert.equal(items.data[0].type, 'function_call_output');
const events = [];
const live = client.responses.stream({ model, input: 'Which wind?', background: true });
for await (const event of live) events.push(event);
const { id } = await live.finalResponse();
const resumed = client.responses.stream({ response_id: id, starting_after: events[3].sequence_number });
const rest = [];
for await (const event of resumed) rest.push(event.sequence_number);
assert.deepEqual(
  rest,
  events.slice(4).map(({ sequence_number }) => sequence_number),
);
const held = await client.responses.create({ model, input: 'Take your time.', background: true });
assert.equal((await client.responses.cancel(held.id)).status, 'cancelled');
await client.responses.delete(held.id);
console.log('responses:', (await client.responses.retrieve(id)).output_text);

const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: { model, messages } };
const input = await client.files.create({
  file: await toFile(Buffer.from(JSON.stringify(line)), 'in.jsonl'),
  purpose: 'batch',
});
const asBatch = { input_file_id: input.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
let batch = await client.batches.create(asBatch);
while (['validating', 'in_progress', 'finalizing'].includes(batch.status)) {
  await sleep(100);
  batch = await client.batches.retrieve(batch.id);
}
const [result] = (await (await client.files.content(batch.output_file_id)).text()).trim().split('\n').map(JSON.parse);
console.log('batches:', result.response.body.choices[0].message.content);

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
