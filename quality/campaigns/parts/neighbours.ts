import { chatWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { type Child, inTemporaryDir, type StartChild, withChildren } from '../../bench/children.ts';
import { EMBEDDED } from '../neighbours/embedded.ts';
import { plantRows } from '../neighbours/plant-rows.ts';
import { type Load, residentMib, type Scene, startScene, watchLoad } from '../neighbours/scene.ts';
import { type AttackOrder, type AttackReport, join } from '../neighbours/send.ts';
import type { Others } from '../neighbours/watch-others.ts';

const ATTACK = new URL('../processes/attack.ts', import.meta.url);
const MODEL = new URL('../processes/model.ts', import.meta.url);
const OTHERS = new URL('../processes/others.ts', import.meta.url);
/** Beyond the longest stall of the control run. */
const STALL_MS_MAX = 200;
/** Of the others' p99, compared with the control run. */
const LATENCY_RATIO_MAX = 3;
const MEMORY_MIB_MAX = 400;
const MIB = 1024 * 1024;
const READY_MS_MAX = 2000;
/** The short form runs beside other tests. */
const QUICK_TIMES = 5;
const ATTACK_LIMIT_MS = 20 * 60_000;
/** Of each attack in the full form: as long as the control run, so that both have as many requests of others. */
const ATTACK_MS = 20_000;
const SEED = 20_261_116;
/** A p99 below this is noise of the machine, and three times nothing is nothing. */
const P99_MS_MIN = 25;

/** The same tenant, as busy, with requests that everybody sends. */
const CONTROL = 'ordinary requests';
/** Calls every operation there is, most of them for the first time: code that is loaded and compiled once. */
const EVERY_OPERATION = 'requests at the edge of every limit';
const NAMES = [
  EVERY_OPERATION,
  'timetables',
  'JSON schemas in chats',
  'JSON schemas of workers, and inputs',
  'long lists of large objects',
  'large batches',
  'uploads, and batches of them',
  'streams that are followed',
  'background work on the largest rows',
];
const EMBEDDED_CONTROL = 'ordinary chats with the embedded model';
const EMBEDDED_ATTACK = 'the embedded model';
const POISONED = 'rows that no request could have stored';
/** Some of the attacks, by the beginnings of their names: `TRAMONTANE_TRUST_ATTACKS=streams,background`. */
const CHOSEN = process.env.TRAMONTANE_TRUST_ATTACKS?.split(',');
const isChosen = (name: string) => !CHOSEN || CHOSEN.some((beginning) => name.startsWith(beginning.trim()));
const SMALL = 'small';
/** Enough for the prompts of the attack, and quick to load. */
const CONTEXT_TOKENS = 2048;

type Stage = { scene: Scene; attacker: Child; others: Child; order: AttackOrder; quick: boolean };
type Seen = { result: AttackReport; load: Load; others: Others; memory: NodeJS.MemoryUsage };

export const neighbours: Benchmark = {
  name: 'neighbours',
  summary: 'a tenant sends accepted requests at the edge of every limit, and what another tenant notices',
  run: (options) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const url = await start(MODEL, { role: 'load', urgent: true }).ask<string>('address');
        // Loading a model takes longer than all of the short form.
        const weights = options.quick || !isChosen(EMBEDDED_ATTACK) ? undefined : await chatWeightsForTests();
        const embedded = { id: EMBEDDED, engine: 'llama', weights: weights?.file, context: CONTEXT_TOKENS };
        const models = [{ id: SMALL, engine: 'upstream', url, upstream_model: 'm' }, ...(weights ? [embedded] : [])];
        // Built-in models would be fetched and loaded by the first request for one.
        return runCampaign(start, directory, { models, builtin: false }, options);
      }),
    ),
};

async function runCampaign(
  start: StartChild,
  directory: string,
  config: { models: { id: string }[]; builtin: boolean },
  { quick, progress, tried }: BenchmarkOptions,
): Promise<Figure[]> {
  // It would have a machine of its own: what it computes for its requests must not delay those of others.
  const attacker = start(ATTACK, { role: 'load', modest: true });
  const others = start(OTHERS, { role: 'load', urgent: true });
  const first = await startScene(start, directory, config);
  const key = await first.child.ask<string>('addTenant', 'attacker');
  const order: AttackOrder = { url: first.url, key, seed: SEED, isQuick: quick };
  const stage: Stage = { scene: first, attacker, others, order, quick };
  await attacker.ask('prepare', order);

  progress('neighbours: the control run');
  const idleMib = residentMib(first.child.pid);
  // The first round warms the server up.
  if (!quick) await observe(stage, CONTROL);
  const control = await observe(stage, CONTROL);
  tried?.(`neighbours: ${CONTROL}: ${describe(control)}`);

  const figures: Figure[] = [];
  const seen: Seen[] = [];
  const attack = async (on: Stage, name: string, label = name, compared = control, model = SMALL) => {
    progress(`neighbours: ${label}`);
    // The control's server was warm, so latencies are compared on a warm one; stalls, memory and failures count from the start.
    const cold = name === EVERY_OPERATION && !quick ? await observe(on, name, model) : undefined;
    const one = joinSeen(cold, await observe(on, name, model));
    seen.push(one);
    figures.push(...figuresOf(label, one, compared, idleMib, quick));
    tried?.(`neighbours: ${label}: ${describe(one)}`);
    // Its log is gone with the campaign, and only it tells why.
    if (failuresOf(one).length > 0) tried?.(on.scene.child.log());
  };
  for (const name of NAMES.filter(isChosen)) await attack(stage, name);
  if (isChosen(EMBEDDED_ATTACK) && config.models.some(({ id }) => id === EMBEDDED)) {
    await observe(stage, EMBEDDED_CONTROL, EMBEDDED);
    const usual = await observe(stage, EMBEDDED_CONTROL, EMBEDDED);
    await attack(stage, EMBEDDED_ATTACK, EMBEDDED_ATTACK, usual, EMBEDDED);
  }

  if (CHOSEN) return [...figures, ...totals(seen)];
  await first.child.end('SIGKILL');
  const restarted = async (name: string): Promise<Stage> => {
    const scene = await startScene(start, directory, config);
    figures.push(readiness(name, scene, quick));
    return { ...stage, scene, order: { ...order, url: scene.url } };
  };
  const cold = await restarted('ready after a kill, on the data that they left');
  // A server that has just started is slower than one that is warm: its control has just started, too. The short form
  // has no bar for latencies.
  const coldControl = quick ? control : await observe(cold, CONTROL);
  tried?.(`neighbours: ${CONTROL} after a restart: ${describe(coldControl)}`);
  await cold.scene.child.end('SIGKILL');
  await plantRows(directory);
  const poisoned = await restarted(`ready after a kill, on ${POISONED}`);
  await attack(poisoned, CONTROL, POISONED, coldControl);
  await poisoned.scene.child.end('SIGTERM');
  return [...figures, ...totals(seen)];
}

function describe({ load: { stallMs, memoryMib }, others, memory }: Seen): string {
  const mib = (bytes: number) => (bytes / MIB).toFixed(0);
  const left = `then ${mib(memory.rss)}: heap ${mib(memory.heapUsed)} of ${mib(memory.heapTotal)}, external ${mib(memory.external)}`;
  return `stall ${stallMs.toFixed(0)} ms, p99 ${others.p99Ms.toFixed(0)} ms of ${others.requests}, ${memoryMib.toFixed(0)} MiB, ${left}`;
}

function totals(seen: Seen[]): Figure[] {
  const sent = seen.reduce((sum, { result }) => sum + result.sent, 0);
  const accepted = new Set(seen.flatMap(({ result }) => result.accepted));
  const failures = seen.flatMap(failuresOf);
  return [
    { name: `operations that accepted one of ${sent} requests`, value: accepted.size, unit: '' },
    {
      name: 'responses of 500, or none, to the attacker, and anything but 200 to the other tenant',
      value: failures.length,
      unit: '',
      target: { at: '≤', value: 0 },
      ...(failures.length > 0 && { note: [...new Set(failures)].slice(0, 5).join('; ') }),
    },
  ];
}

function joinSeen(cold: Seen | undefined, warm: Seen): Seen {
  if (!cold) return warm;
  const stallMs = Math.max(cold.load.stallMs, warm.load.stallMs);
  const memoryMib = Math.max(cold.load.memoryMib, warm.load.memoryMib);
  const failures = [...cold.others.failures, ...warm.others.failures];
  return {
    ...warm,
    result: join([cold.result, warm.result]),
    load: { stallMs, memoryMib },
    others: { ...warm.others, failures },
  };
}

const failuresOf = ({ result, others }: Seen) => [...result.failures, ...others.failures];

async function observe({ scene, attacker, others, order, quick }: Stage, name: string, model = SMALL): Promise<Seen> {
  await others.ask('begin', { url: scene.url, key: scene.key, model });
  const atLeastMs = quick ? 0 : ATTACK_MS;
  const attack = () => attacker.ask<AttackReport>('attack', { name, order, atLeastMs }, ATTACK_LIMIT_MS);
  const { result, load } = await watchLoad(scene, attack);
  const memory = await scene.child.ask<NodeJS.MemoryUsage>('memory');
  return { result, load, others: await others.ask<Others>('end'), memory };
}

function figuresOf(name: string, seen: Seen, control: Seen, idleMib: number, quick: boolean): Figure[] {
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

function readiness(name: string, { readyMs }: Scene, quick: boolean): Figure {
  const target = { at: '≤' as const, value: quick ? QUICK_TIMES * READY_MS_MAX : READY_MS_MAX };
  return { name, value: readyMs, unit: 'ms', target };
}
