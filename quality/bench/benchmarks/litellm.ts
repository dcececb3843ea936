import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';
import type { Target } from '../processes/connection.ts';
import type { Load } from '../processes/generate-load.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const PATH = '/v1/chat/completions';
const BODY = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'A question. '.repeat(75) }] });
const CONNECTIONS = 32;
const BURST_MS = 3000;
const ROUNDS = 5;
const RATIO_MIN = 10;
const START_LIMIT_MS = 150_000;

type Started = { port: number; key: string; startMs: number; pid: number };

export const litellm: Benchmark = {
  name: 'litellm',
  summary: 'a 1 KiB chat through us and through LiteLLM’s proxy, one process each, by turns on the same core',
  isPossible: () => process.env.TRAMONTANE_TEST_LITELLM !== undefined,
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const generator = start(script('generate-load'), { role: 'load', urgent: true });
        const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
        const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
        const peer = start(script('serve-litellm'), {
          role: 'server',
          urgent: true,
          env: { TRAMONTANE_TEST_LITELLM: process.env.TRAMONTANE_TEST_LITELLM ?? '' },
        });
        const theirs = await peer.ask<Started>('address', upstreamPort, START_LIMIT_MS);
        const config = join(directory, 'tramontane.yaml');
        const url = `http://127.0.0.1:${upstreamPort}/v1`;
        writeFileSync(config, `models:\n  - id: bench\n    engine: upstream\n    url: ${url}\n`);
        const platform = start(script('serve-platform'), {
          role: 'server',
          urgent: true,
          env: { TRAMONTANE_DATA_DIR: join(directory, 'data'), TRAMONTANE_CONFIG: config },
        });
        const ours = await platform.ask<{ port: number; key: string }>('address');
        const measure = (server: { port: number; key: string }, durationMs: number) =>
          load(generator, { port: server.port, path: PATH, key: server.key, body: BODY }, durationMs);
        progress('litellm: warming up');
        for (const server of [ours, theirs]) await measure(server, quick ? 500 : 5000);
        const rates = { ours: [] as number[], theirs: [] as number[] };
        for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
          progress(`litellm: round ${round + 1}`);
          rates.ours.push((await measure(ours, quick ? 500 : BURST_MS)).perSecond);
          rates.theirs.push((await measure(theirs, quick ? 500 : BURST_MS)).perSecond);
        }
        const [own, other] = [median(rates.ours), median(rates.theirs)];
        return [
          {
            name: 'requests/s vs LiteLLM',
            value: own / other,
            unit: '×',
            target: { at: '≥', value: RATIO_MIN },
            note: `${own.toFixed(0)} and ${other.toFixed(0)} requests/s`,
          },
          { name: 'LiteLLM, requests/s', value: other, unit: '/s' },
          { name: 'LiteLLM, memory', value: residentMiB(theirs.pid), unit: 'MiB' },
          { name: 'ours, memory', value: residentMiB(platform.pid), unit: 'MiB' },
          { name: 'LiteLLM, start', value: theirs.startMs / 1000, unit: 's' },
        ];
      }),
    ),
};

async function load(generator: Child, target: Target, durationMs: number): Promise<Load> {
  await delay(100);
  return generator.ask<Load>('closedLoop', { target, connections: CONNECTIONS, durationMs });
}

function residentMiB(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}
