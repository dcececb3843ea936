import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Mistral } from '@mistralai/mistralai';
import { z } from 'zod';
import { defineStep, defineWorkflow } from '../../../packages/workflows/src/index.ts';
import { startWorker } from '../../../packages/workflows/src/worker/index.ts';
import type { Platform } from '../../../src/compose/open-platform.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { drawGrid, makePdf, makePicture, newPage, writeLines } from '../../../src/engines/ocr/documents-for-tests.ts';
import { createSignal } from '../../../src/kit/db/index.ts';
import { startServer } from '../../../src/main.ts';
import { registerFineTuned } from '../../../src/models/index.ts';
import { call } from '../../../test/support/call.ts';
import { startFakeMcp } from '../../../test/support/mcp-server.ts';
import { completion, json, startUpstream, type UpstreamCall } from '../../../test/support/upstream.ts';

/** The server under test: a whole platform with a worker beside it and scripted models. */
export type SweepPlatform = {
  url: string;
  key: string;
  /** A document of two pages, in the data dir. */
  document: string;
  /** The address of an MCP server with the tool `echo`, which also describes how to sign in. */
  mcpServer: string;
  /** Registers a new fine-tuned model, to be renamed, archived and deleted. */
  registerTuned(): Promise<string>;
  stop(): Promise<void>;
};

/** Calls each function of one family with meaningful arguments, and checks the result. */
export type Chapter = (client: Mistral, platform: SweepPlatform) => Promise<void>;

const KEY = 'the-key-of-the-sweep-over-the-sdks-0123456789';
/** Half a second of samples. */
const SILENCE = Buffer.alloc(24_000);
const HEARD_MS = 25;

export async function startSweepPlatform(directory: string): Promise<SweepPlatform> {
  const upstream = await startUpstream();
  upstream.answerWith(answer);
  const file = join(directory, 'tramontane.yaml');
  const wiki = await startFakeMcp();
  writeFileSync(file, JSON.stringify({ models: modelsAt(upstream.url), outbound: { allow: [wiki.place] } }));
  const environment = {
    TRAMONTANE_PORT: '0',
    TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
    TRAMONTANE_DATA_DIR: join(directory, 'data'),
    TRAMONTANE_CONFIG: file,
    TRAMONTANE_LOG_LEVEL: 'silent',
    TRAMONTANE_AUTO_PULL: 'off',
    TRAMONTANE_BOOTSTRAP_API_KEY: KEY,
  };
  let platform: Platform | undefined;
  // Responses are checked twice: by our schemas here, by the SDK where they arrive.
  const server = await startServer(loadConfig(environment), {
    checkResponses: true,
    extraRoutes: (opened) => {
      platform = opened;
      return [];
    },
  });
  const worker = await startWorker({ url: server.url, apiKey: KEY, deployment: 'main', ...workflows });
  const address = { url: server.url, key: KEY };
  return {
    ...address,
    document: await writeDocument(directory),
    mcpServer: wiki.url,
    registerTuned: () => registerTuned(address, platform as Platform),
    async stop() {
      await worker.stop();
      await server.stop();
    },
  };
}

function modelsAt(url: string): unknown[] {
  const upstream = { engine: 'upstream', url };
  const capabilities = { completion_chat: true, completion_fim: true, function_calling: true };
  return [
    { ...upstream, id: 'small', capabilities },
    { ...upstream, id: 'vectors', capabilities: {} },
    { ...upstream, id: 'judge', capabilities: { moderation: true } },
    { ...upstream, id: 'labels', kind: 'classification' },
    { ...upstream, id: 'studio', capabilities: { audio_speech: true }, speech: { voices: ['alloy', 'nova'] } },
    { ...upstream, id: 'ear', kind: 'transcription' },
    { id: 'tesseract', engine: 'tesseract' },
    // Its weights are not here: a separate entry needs none.
    { id: 'base', engine: 'llama', weights: '/nowhere/base.gguf' },
  ];
}

const TRANSCRIPT = {
  text: 'Good day.',
  language: 'en',
  duration: 1,
  segments: [{ text: 'Good day.', start: 0, end: 1 }],
};

const say = defineStep('say', async (name: string) => `Hello, ${name}`);

const workflows = {
  workflows: [
    defineWorkflow('greet', { input: z.object({ name: z.string() }) }, (ctx, { name }) => ctx.step(say, name)),
    defineWorkflow(
      'listen',
      {
        signals: { go: z.object({ x: z.number() }) },
        queries: { state: { output: z.string() } },
        updates: { change: { input: z.object({ a: z.number() }), output: z.object({ a: z.number() }) } },
      },
      async (ctx) => {
        ctx.onQuery('state', () => 'listens');
        ctx.onUpdate('change', (update) => update);
        ctx.log.info('listening');
        await ctx.step(say, 'nobody');
        return ctx.receive('go');
      },
    ),
  ],
  steps: [say],
};

function answer({ path, body }: UpstreamCall, response: ServerResponse): void {
  if (path.endsWith('/embeddings')) json(response, 200, vectorsFor(body.input as string[]));
  else if (path.endsWith('/classifications'))
    json(response, 200, {
      results: (body.input as string[]).map(() => ({ topic: { scores: { billing: 0.9, other: 0.1 } } })),
    });
  else if (path.endsWith('/moderations')) json(response, 200, verdictsOn(body.input as string[]));
  else if (path.endsWith('/speech')) response.writeHead(200, { 'content-type': 'audio/pcm' }).end(SILENCE);
  else if (path.endsWith('/transcriptions')) json(response, 200, TRANSCRIPT);
  else complete(body, response);
}

function complete(body: UpstreamCall['body'], response: ServerResponse): void {
  const isJudge = JSON.stringify(body.response_format ?? '').includes('"analysis"');
  const structured = isJudge ? '{"analysis":"Kind words.","answer":1}' : '{"name":"Ada","age":36}';
  const text = body.response_format ? structured : 'Hello there';
  if (!body.stream) {
    json(response, 200, completion(text));
    return;
  }
  const chunk = (choices: unknown[], rest = {}) => `data: ${JSON.stringify({ choices, ...rest })}\n\n`;
  const words = text.split(/(?<= )/).map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }]));
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const end = [chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]), chunk([], { usage }), 'data: [DONE]\n\n'];
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end([...words, ...end].join(''));
}

function vectorsFor(input: string[]): unknown {
  const data = input.map((_, index) => ({ index, embedding: Array(16).fill(index + 1) }));
  return { object: 'list', data, usage: { prompt_tokens: 5, total_tokens: 5 } };
}

function verdictsOn(input: string[]): unknown {
  const categories = { violence_and_threats: false };
  return { results: input.map(() => ({ categories, category_scores: { violence_and_threats: 0 } })) };
}

async function writeDocument(directory: string): Promise<string> {
  const file = join(directory, 'book.pdf');
  const pdf = await makePdf(async (document, { plain }) => {
    const page = newPage(document);
    writeLines(page, plain, ['A page with a table and a picture.'], { top: 120 });
    drawGrid(page, plain, [
      ['Name', 'City'],
      ['Anna', 'Paris'],
    ]);
    page.drawImage(await document.embedPng(makePicture()), { x: 100, y: 400, width: 200, height: 120 });
  });
  writeFileSync(file, pdf);
  return file;
}

/** As the operator's command does; then waits until the server has applied it. */
async function registerTuned(server: { url: string; key: string }, { database }: Platform): Promise<string> {
  const { workspace } = (await call(server, '/v1/users/me')).body as { workspace: { id: string } };
  const signal = createSignal(database, 'models', Date.now);
  const adapter = { root: 'base', file: null, adapter: '/nowhere/adapter.gguf', name: 'Tuned' };
  const { id } = await registerFineTuned(
    { database, signal, now: Date.now },
    { workspaceId: workspace.id, ...adapter },
  );
  while ((await call(server, `/v1/models/${id}`)).status !== 200) await delay(HEARD_MS);
  return id;
}
