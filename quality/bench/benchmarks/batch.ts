import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const REQUESTS = 10_000;
const CONCURRENCY = 32;
const RATE_RATIO_MIN = 0.7;
const RSS_MIB_MAX = 300;
const P99_RATIO_MAX = 1.5;
/** Far below the capacity of the server: the question is whether a request waits, not how many there can be. */
const CHATS_PER_SECOND = 100;
const POLL_MS = 25;
const WATCH_MS = 100;
const MEBIBYTE = 1024 * 1024;

type Platform = { child: Child; port: number; key: string };
type Job = { id: string; status: string; succeeded_requests: number };

export const batch: Benchmark = {
  name: 'batch',
  summary: '10,000 inline requests against the direct rate at the same concurrency, and chats beside a running job',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const generator = start(script('generate-load'), { role: 'load', urgent: true });
        progress('batch: memory');
        const memory = await memoryOfJob(start, join(directory, 'first'), quick ? 500 : REQUESTS);
        const platform = await startPlatform(start, join(directory, 'second'));
        const direct = (durationMs: number) =>
          generator.ask<Load>('closedLoop', { target: targetOf(platform), connections: CONCURRENCY, durationMs });
        progress('batch: warming up');
        await direct(quick ? 500 : 5000);
        const pairs: { batch: number; direct: number }[] = [];
        for (let round = 0; round < (quick ? 1 : 3); round++) {
          progress(`batch: round ${round + 1}`);
          const rate = await runJob(platform, quick ? 500 : REQUESTS);
          pairs.push({ batch: rate, direct: (await direct(quick ? 500 : 2000)).perSecond });
        }
        progress('batch: chats beside a job');
        const beside = await chatsBeside(generator, platform, quick ? 1 : 3, quick);
        return [rateOf(pairs), memory, beside];
      }),
    ),
};

function rateOf(pairs: { batch: number; direct: number }[]): Figure {
  const [mine, other] = [median(pairs.map((pair) => pair.batch)), median(pairs.map((pair) => pair.direct))];
  return {
    name: 'requests/s of a job vs direct',
    value: median(pairs.map((pair) => pair.batch / pair.direct)),
    unit: '×',
    target: { at: '≥', value: RATE_RATIO_MIN },
    note: `${mine.toFixed(0)} vs ${other.toFixed(0)} requests/s, ${CONCURRENCY} at a time`,
  };
}

/** Peak memory of a freshly started server that runs a single job. */
async function memoryOfJob(start: StartChild, directory: string, count: number): Promise<Figure> {
  const platform = await startPlatform(start, directory);
  const rssOf = async () => (await platform.child.ask<{ rss: number }>('memory')).rss / MEBIBYTE;
  const before = await rssOf();
  let most = before;
  const watch = setInterval(async () => {
    most = Math.max(most, await rssOf());
  }, WATCH_MS);
  await runJob(platform, count);
  clearInterval(watch);
  await platform.child.end();
  const target = { at: '<', value: RSS_MIB_MAX } as const;
  return { name: 'memory of the server', value: most, unit: 'MiB', target, note: `${before.toFixed(0)} MiB before` };
}

async function startPlatform(start: StartChild, directory: string): Promise<Platform> {
  const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
  const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
  mkdirSync(directory);
  const config = join(directory, 'tramontane.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      models: [{ id: 'bench', engine: 'upstream', url: `http://127.0.0.1:${upstreamPort}/v1` }],
      batch: { concurrency: CONCURRENCY },
    }),
  );
  const env = { TRAMONTANE_DATA_DIR: join(directory, 'data'), TRAMONTANE_CONFIG: config };
  const child = start(script('serve-platform'), { role: 'server', urgent: true, env });
  return { child, ...(await child.ask<{ port: number; key: string }>('address')) };
}

const messages = [{ role: 'user', content: 'A question. '.repeat(75) }];

function targetOf({ port, key }: Platform) {
  return { port, key, path: '/v1/chat/completions', body: JSON.stringify({ model: 'bench', messages }) };
}

async function call<T>({ port, key }: Platform, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

function makeJob(platform: Platform, count: number): Promise<Job> {
  const requests = Array.from({ length: count }, (_, i) => ({ custom_id: `r${i}`, body: { messages } }));
  return call<Job>(platform, '/v1/batch/jobs', { endpoint: '/v1/chat/completions', model: 'bench', requests });
}

/** Requests per second from the creation of the job to its output files. */
async function runJob(platform: Platform, count: number): Promise<number> {
  const { id } = await makeJob(platform, count);
  const startedAt = performance.now();
  for (;;) {
    const job = await call<Job>(platform, `/v1/batch/jobs/${id}`);
    if (job.status === 'SUCCESS' && job.succeeded_requests === count)
      return count / ((performance.now() - startedAt) / 1000);
    if (!['QUEUED', 'RUNNING'].includes(job.status)) throw new Error(`the job ended as ${job.status}`);
    await delay(POLL_MS);
  }
}

async function chatsBeside(generator: Child, platform: Platform, rounds: number, quick: boolean): Promise<Figure> {
  const load = (durationMs: number) =>
    generator.ask<Load>('openLoop', {
      target: targetOf(platform),
      connections: 16,
      durationMs,
      perSecond: CHATS_PER_SECOND,
    });
  const pairs: { quiet: Load; beside: Load }[] = [];
  for (let round = 0; round < rounds; round++) {
    const quiet = await load(quick ? 500 : 4000);
    const job = await makeJob(platform, quick ? 500 : REQUESTS);
    const beside = await load(quick ? 500 : 4000);
    pairs.push({ quiet, beside });
    const { status } = await call<Job>(platform, `/v1/batch/jobs/${job.id}`);
    if (!quick && status !== 'RUNNING') throw new Error(`the job was ${status} before the chats had been measured`);
    await call(platform, `/v1/batch/jobs/${job.id}/cancel`, {});
  }
  const [quiet, beside] = [
    median(pairs.map((pair) => pair.quiet.p99Ms)),
    median(pairs.map((pair) => pair.beside.p99Ms)),
  ];
  return {
    name: 'p99 of a chat beside a job',
    value: median(pairs.map((pair) => pair.beside.p99Ms / pair.quiet.p99Ms)),
    unit: '×',
    target: { at: '≤', value: P99_RATIO_MAX },
    note: `${beside.toFixed(2)} vs ${quiet.toFixed(2)} ms at ${CHATS_PER_SECOND}/s`,
  };
}
