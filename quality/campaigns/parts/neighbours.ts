import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../../bench/children.ts';
import type { AttackOrder, AttackReport } from '../neighbours/attack.ts';
import { residentMib, type Scene, startScene, watchLoad } from '../neighbours/scene.ts';
import { type Others, watchOthers } from '../neighbours/watch-others.ts';
import { serveModel } from '../platform/serve-model.ts';

const ATTACK = new URL('../processes/attack.ts', import.meta.url);
/** Beyond the longest stall of the control run. */
const STALL_MS_MAX = 200;
/** Of the others' p99, compared with the control run. */
const LATENCY_RATIO_MAX = 3;
const MEMORY_MIB_MAX = 400;
const READY_MS_MAX = 2000;
/** The short form runs beside other tests. */
const QUICK_TIMES = 5;
const ATTACK_LIMIT_MS = 20 * 60_000;
const SEED = 20_261_116;
/** A p99 below this is noise of the machine, and three times nothing is nothing. */
const P99_MS_MIN = 25;

/** The same tenant, as busy, with requests that everybody sends. */
const CONTROL = 'ordinary requests';
const NAMES = [
  'requests at the edge of every limit',
  'timetables',
  'JSON schemas in chats',
  'JSON schemas of workers, and inputs',
  'long lists of large objects',
  'large batches',
];

export const neighbours: Benchmark = {
  name: 'neighbours',
  summary: 'a tenant sends accepted requests at the edge of every limit, and what another tenant notices',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const model = await serveModel();
      const config = { models: [{ id: 'small', engine: 'upstream', url: model.url, upstream_model: 'm' }] };
      try {
        return await withChildren(directory, (start) => runCampaign(start, directory, config, options));
      } finally {
        model.close();
      }
    }),
};

async function runCampaign(
  start: StartChild,
  directory: string,
  config: object,
  { quick, progress }: BenchmarkOptions,
): Promise<Figure[]> {
  const scene = await startScene(start, directory, config);
  const attacker = start(ATTACK, { role: 'free' });
  const key = await scene.child.ask<string>('addTenant', 'attacker');
  const order: AttackOrder = { url: scene.url, key, seed: SEED, isQuick: quick };
  await attacker.ask('prepare', order);

  progress('neighbours: the control run');
  const idleMib = residentMib(scene.child.pid);
  const send = (name: string) => attacker.ask<AttackReport>('attack', { name, order }, ATTACK_LIMIT_MS);
  // The first round warms the server up.
  if (!quick) await observe(scene, () => send(CONTROL));
  const control = await observe(scene, () => send(CONTROL));

  const figures: Figure[] = [];
  const accepted = new Set<string>();
  const failures: string[] = [];
  let sent = 0;
  for (const name of NAMES) {
    progress(`neighbours: ${name}`);
    const seen = await observe(scene, () => send(name));
    sent += seen.result.sent;
    for (const one of seen.result.accepted) accepted.add(one);
    failures.push(...seen.result.failures, ...seen.others.failures);
    figures.push(...figuresOf(name, seen, control, idleMib, quick));
  }
  return [
    ...figures,
    await restart(start, scene, directory, config, quick),
    {
      name: `operations that accepted one of ${sent} requests`,
      value: accepted.size,
      unit: '',
    },
    {
      name: 'responses of 500, or none, to the attacker, and anything but 200 to the other tenant',
      value: failures.length,
      unit: '',
      target: { at: '≤', value: 0 },
      ...(failures.length > 0 && { note: [...new Set(failures)].slice(0, 5).join('; ') }),
    },
  ];
}

type Seen<T> = { result: T; load: { stallMs: number; memoryMib: number }; others: Others };

async function observe<T>(scene: Scene, work: () => Promise<T>): Promise<Seen<T>> {
  const { result, load } = await watchLoad(scene, () => watchOthers(scene, work));
  return { result: result.result, others: result.others, load };
}

function figuresOf(
  name: string,
  seen: Seen<unknown>,
  control: Seen<unknown>,
  idleMib: number,
  quick: boolean,
): Figure[] {
  const usual = Math.max(P99_MS_MIN, control.others.p99Ms);
  // In the short form other tests use the machine as well, so latencies only inform there.
  const bar = (target: Figure['target']) => (quick || !target ? {} : { target });
  return [
    {
      name: `${name}: longest stall of the event loop beyond the control's ${control.load.stallMs.toFixed(0)} ms`,
      value: Math.max(0, seen.load.stallMs - control.load.stallMs),
      unit: 'ms',
      target: { at: '≤', value: quick ? QUICK_TIMES * STALL_MS_MAX : STALL_MS_MAX },
    },
    {
      name: `${name}: p99 of others, compared with ${control.others.p99Ms.toFixed(1)} ms beside ordinary requests`,
      value: seen.others.p99Ms / usual,
      unit: '×',
      ...bar({ at: '≤', value: LATENCY_RATIO_MAX }),
    },
    {
      name: `${name}: memory above idle`,
      value: Math.max(0, seen.load.memoryMib - idleMib),
      unit: 'MiB',
      target: { at: '≤', value: MEMORY_MIB_MAX },
    },
  ];
}

async function restart(
  start: StartChild,
  scene: Scene,
  directory: string,
  config: object,
  quick: boolean,
): Promise<Figure> {
  await scene.child.end('SIGKILL');
  const { readyMs, child } = await startScene(start, directory, config);
  await child.end('SIGTERM');
  return {
    name: 'ready after a kill, on the data that they left',
    value: readyMs,
    unit: 'ms',
    target: { at: '≤', value: quick ? QUICK_TIMES * READY_MS_MAX : READY_MS_MAX },
  };
}
