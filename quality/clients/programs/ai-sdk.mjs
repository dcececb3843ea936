// AI SDK by Vercel
// install: npm @ai-sdk/mistral@4.0.84 @ai-sdk/openai@4.0.114 ai@7.0.169 ws@8.22.2 zod@4.6.7
// checks: chat, stream, tools, structured, embeddings, transcription, live

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
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import {
  embedMany,
  Output,
  stepCountIs,
  streamText,
  experimental_streamTranscribe as streamTranscribe,
  tool,
  transcribe,
} from 'ai';
import { WebSocket } from 'ws';
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

const openai = createOpenAI({
  baseURL: `${process.env.TRAMONTANE_URL}/openai/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
});
const audio = new TextEncoder().encode('RIFF');
const heard = await transcribe({ model: mistral.transcription('voxtral-mini-latest'), audio });
const verbose = await transcribe({ model: openai.transcription('whisper-1'), audio });
assert.deepEqual([verbose.text, verbose.language, verbose.segments[0].endSecond], [heard.text, 'en', 2.5]);
console.log('transcription:', heard.text);

const live = createMistral({
  baseURL: `${process.env.TRAMONTANE_URL}/v1`,
  apiKey: process.env.TRAMONTANE_API_KEY,
  webSocket: WebSocket,
});
const tone = Int16Array.from({ length: 16_000 }, (_, at) => 9000 * Math.sin(at / 6));
const followed = streamTranscribe({
  model: live.transcription('voxtral-mini-transcribe-realtime-3'),
  audio: ReadableStream.from([new Uint8Array(tone.buffer)]),
  inputAudioFormat: { type: 'audio/pcm', rate: 16_000 },
});
console.log('live:', await followed.text);
