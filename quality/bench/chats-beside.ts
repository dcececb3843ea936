import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from './benchmark.ts';
import type { Child, StartChild } from './children.ts';
import type { Load } from './processes/generate-load.ts';
import { median } from './statistics.ts';

const P50_RATIO_MAX = 1.5;
const CHATS_PER_SECOND = 200;

const script = (name: string) => new URL(`./processes/${name}.ts`, import.meta.url);

/**
 * The p50 of chats while a child works, against that of chats alone. The platform has one core; the child shares the other
 * with the client that sends the chats. `end` of the child says how much it did, and 0 is a mistake.
 */
export async function measureChatsBeside(
  start: StartChild,
  directory: string,
  work: { name: string; child: Child; unit: string },
  rounds: number,
): Promise<Figure> {
  const generator = start(script('generate-load'), { role: 'load', urgent: true });
  const upstream = start(script('serve-upstream'), { role: 'load', urgent: true });
  const { port: upstreamPort } = await upstream.ask<{ port: number }>('address');
  const config = join(directory, 'tramontane.yaml');
  writeFileSync(config, `models:\n  - id: bench\n    engine: upstream\n    url: http://127.0.0.1:${upstreamPort}/v1\n`);
  const env = { TRAMONTANE_DATA_DIR: join(directory, 'data'), TRAMONTANE_CONFIG: config };
  const platform = start(script('serve-platform'), { role: 'server', urgent: true, env });
  const { port, key } = await platform.ask<{ port: number; key: string }>('address');
  const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'A question. '.repeat(75) }] });
  const target = { port, key, path: '/v1/chat/completions', body };
  const load = (durationMs: number) =>
    generator.ask<Load>('openLoop', { target, connections: 16, durationMs, perSecond: CHATS_PER_SECOND });
  await load(3000);
  const pairs: { quiet: Load; beside: Load; done: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const quiet = await load(1500);
    await work.child.ask('begin');
    const beside = await load(2500);
    pairs.push({ quiet, beside, done: await work.child.ask<number>('end') });
  }
  const done = pairs.reduce((sum, pair) => sum + pair.done, 0);
  if (done === 0) throw new Error(`nothing was done while chats were measured: ${work.name}`);
  const [quiet, beside] = [
    median(pairs.map((pair) => pair.quiet.p50Ms)),
    median(pairs.map((pair) => pair.beside.p50Ms)),
  ];
  return {
    name: work.name,
    value: median(pairs.map((pair) => pair.beside.p50Ms / pair.quiet.p50Ms)),
    unit: '×',
    target: { at: '≤', value: P50_RATIO_MAX },
    note: `${beside.toFixed(2)} vs ${quiet.toFixed(2)} ms at ${CHATS_PER_SECOND}/s, ${done.toFixed(1)} ${work.unit} meanwhile`,
  };
}
