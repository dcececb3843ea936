import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePdf, newPage, SENTENCES, writeLines } from '../../../src/engines/ocr/documents-for-tests.ts';
import { MULTILINGUAL_EMBEDDINGS_ID } from '../../../src/engines/weights/catalogue.ts';
import { testModelsDir, weightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const PAGES = 100;
const SECONDS_MAX = 20;
const P99_RATIO_MAX = 1.5;
const MEMORY_MIB_MAX = 400;
const CHATS_PER_SECOND = 100;
/** Both without and with a document chats are measured in windows of this length, and the median of their p99 counts. */
const WINDOW_MS = 2000;
const QUIET_WINDOWS = 3;
/** Until the code of chats is compiled: a slow start would hide what documents do. */
const WARM_UP_MS = 8000;
const INGEST_MS_MAX = 120_000;
const POLL_MS = 100;
const MEBIBYTE = 2 ** 20;

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);

export const libraries: Benchmark = {
  name: 'libraries',
  summary: 'a born-digital PDF of 100 pages from its upload until all of it is searchable, with chats beside it',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        if (!(await weightsForTests(MULTILINGUAL_EMBEDDINGS_ID)))
          throw new Error('the weights of the multilingual model are not here, and no source gives them');
        const platform = await startPlatform(start, directory);
        const chat = await startChats(start, platform);
        const pages = quick ? 10 : PAGES;
        const rounds: Round[] = [];
        // The first document of the day starts the readers and loads the model, and counts.
        for (let round = 0; round < (quick ? 1 : 3); round++) {
          progress(`libraries: document ${round + 1}`);
          rounds.push(await measureRound(platform, chat, await makeBook(pages, round)));
        }
        return figuresOf(rounds, pages);
      }),
    ),
};

type Platform = { child: Child; url: string; key: string; upstreamPort: number };
type Round = { seconds: number; quiet: Load[]; beside: Load[]; mebibytes: number };

async function startPlatform(start: StartChild, directory: string): Promise<Platform> {
  const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
  const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
  const config = join(directory, 'tramontane.yaml');
  const others = { chat: false, moderation: false, speech: false, transcription: false };
  const models = [{ id: 'bench', engine: 'upstream', url: `http://127.0.0.1:${upstreamPort}/v1` }];
  writeFileSync(config, JSON.stringify({ models, builtin: others }));
  const env = {
    TRAMONTANE_DATA_DIR: join(directory, 'data'),
    TRAMONTANE_CONFIG: config,
    TRAMONTANE_MODELS_DIR: testModelsDir,
  };
  const child = start(script('serve-platform'), { role: 'free', env });
  const { port, key } = await child.ask<{ port: number; key: string }>('address');
  return { child, url: `http://127.0.0.1:${port}`, key, upstreamPort };
}

async function startChats(start: StartChild, { url, key }: Platform): Promise<(durationMs: number) => Promise<Load>> {
  const generator = start(script('generate-load'), { role: 'load', urgent: true });
  const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'A question. '.repeat(75) }] });
  const target = { port: Number(new URL(url).port), key, path: '/v1/chat/completions', body };
  const load = (durationMs: number) =>
    generator.ask<Load>('openLoop', { target, connections: 16, durationMs, perSecond: CHATS_PER_SECOND });
  await load(WARM_UP_MS);
  return load;
}

function makeBook(pages: number, round: number): Promise<Uint8Array> {
  return makePdf((pdf, { plain: font, bold }) => {
    for (let number = 1; number <= pages; number++) {
      const page = newPage(pdf);
      let top = writeLines(page, bold, [`Chapter ${number} of volume ${round + 1}`], { size: 20, top: 60 });
      for (let part = 0; part < 5; part++) top = writeLines(page, font, SENTENCES, { top: top + 12 });
    }
  });
}

async function measureRound(platform: Platform, chat: (ms: number) => Promise<Load>, book: Uint8Array): Promise<Round> {
  const quiet: Load[] = [];
  while (quiet.length < QUIET_WINDOWS) quiet.push(await chat(WINDOW_MS));
  const beside: Load[] = [];
  let mebibytes = 0;
  let isDone = false;
  const chats = async () => {
    while (!isDone) beside.push(await chat(WINDOW_MS));
  };
  const watch = async () => {
    for (; !isDone; await delay(POLL_MS))
      mebibytes = Math.max(mebibytes, (await platform.child.ask<{ rss: number }>('memory')).rss / MEBIBYTE);
  };
  const ingested = ingest(platform, book).finally(() => {
    isDone = true;
  });
  const [seconds] = await Promise.all([ingested, chats(), watch()]);
  return { seconds, quiet, beside, mebibytes };
}

/** The seconds until each passage is found by its words and has a vector. */
async function ingest({ url, key }: Platform, book: Uint8Array): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const created = await fetch(`${url}/v1/libraries`, {
    ...{ method: 'POST', body: JSON.stringify({ name: 'bench' }) },
    headers: { ...headers, 'content-type': 'application/json' },
  });
  const { id } = (await created.json()) as { id: string };
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(book)], { type: 'application/pdf' }), 'book.pdf');
  const began = performance.now();
  const documents = `${url}/v1/libraries/${id}/documents`;
  const uploaded = await fetch(documents, { method: 'POST', headers, body: form });
  const document = (await uploaded.json()) as { id: string };
  for (;;) {
    const response = await fetch(`${documents}/${document.id}/status`, { headers });
    const { process_status } = (await response.json()) as { process_status: string };
    const taken = performance.now() - began;
    if (process_status === 'error') throw new Error(`the book failed: ${response.headers.get('tramontane-error')}`);
    if (process_status === 'done' && isEmbedded(response.headers.get('tramontane-progress'))) return taken / 1000;
    if (taken > INGEST_MS_MAX) throw new Error(`the book was not searchable after ${taken.toFixed(0)} ms`);
    await delay(POLL_MS);
  }
}

function isEmbedded(progress: string | null): boolean {
  const [embedded, chunks] = (progress?.match(/\d+/g) ?? []).map(Number);
  return chunks !== undefined && chunks > 0 && embedded === chunks;
}

function figuresOf(rounds: Round[], pages: number): Figure[] {
  const p99Of = (loads: Load[]) => median(loads.map(({ p99Ms }) => p99Ms));
  const quiet = p99Of(rounds.flatMap((round) => round.quiet));
  const beside = p99Of(rounds.flatMap((round) => round.beside));
  const ratios = rounds.map((round) => (p99Of(round.beside) / p99Of(round.quiet)).toFixed(2));
  return [
    {
      name: `${pages} born-digital pages, from upload to searchable`,
      value: Math.max(...rounds.map(({ seconds }) => seconds)),
      unit: 's',
      target: { at: '≤', value: SECONDS_MAX },
      note: rounds.map(({ seconds }) => seconds.toFixed(1)).join(', '),
    },
    {
      name: 'p99 of chats of others meanwhile',
      value: beside / quiet,
      unit: '×',
      target: { at: '≤', value: P99_RATIO_MAX },
      note: `${beside.toFixed(1)} vs ${quiet.toFixed(1)} ms at ${CHATS_PER_SECOND}/s; by document ${ratios.join(', ')}`,
    },
    {
      name: 'memory of the server meanwhile',
      value: Math.max(...rounds.map(({ mebibytes }) => mebibytes)),
      unit: 'MiB',
      target: { at: '≤', value: MEMORY_MIB_MAX },
    },
  ];
}
