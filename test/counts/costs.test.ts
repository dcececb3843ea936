import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { postgresForTests, sqliteForTests, temporaryDir } from '../support/databases.ts';
import { type CountedServer, startCountedServer } from './counted-server.ts';
import { holdStreams } from './hold-streams.ts';
import { type Cost, findCostly, HOT_PATHS, printRows } from './hot-paths.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { type HotPaths, openHotPaths } from './request-hot-paths.ts';

/** What the server does by itself meanwhile; idle.test.ts counts that. */
const BESIDE = /look_0|data_version/;
const WARM_UPS = 8;
/** Times as many series as usual, at most. */
const FURTHER = 4;
/** The list that /waste in serve-counted.ts makes and /thrift does not; both answer with nothing. */
const WASTED_KIB = 16;

const STREAMS = 300;
const STREAM_KIB_MAX = 12;
const WAIT = { timeout: 20_000, interval: 200 };

type Subject = { kind: 'sqlite' | 'postgres'; server: CountedServer; paths: HotPaths };
type Name = keyof typeof HOT_PATHS;

// Counts do not depend on the machine, so they guard here what the benchmarks measure. Both databases at once: most of the
// time passes until what was used is written.
describe('what a request costs the server', () => {
  const url = inject('postgresUrl');
  const databases = [sqliteForTests(), ...(url ? [postgresForTests(url)] : [])];
  let subjects: Subject[] = [];

  async function open(database: (typeof databases)[number]): Promise<Subject> {
    const models: ModelServer = await startModelServer();
    const of = (id: string, kind: string) => ({ id, kind, engine: 'upstream', url: models.url });
    const config = join(temporaryDir(), 'tramontane.yaml');
    writeFileSync(config, JSON.stringify({ models: [of('small', 'chat'), of('vectors', 'embeddings')] }));
    const server = await startCountedServer(database, config);
    const paths = await openHotPaths(server, models);
    for (const { prepare, run } of Object.values(paths)) {
      await prepare?.(WARM_UPS);
      for (let n = 0; n < WARM_UPS; n++) await run(n);
    }
    return { kind: database.kind, server, paths };
  }

  beforeAll(async () => {
    subjects = await Promise.all(databases.map(open));
  });

  /**
   * The least of several series: what the server does by itself meanwhile falls into some of them, and on a machine that is
   * busy into most. Further ones are counted while the least is beyond the row.
   */
  async function count({ kind, server, paths }: Subject, name: keyof HotPaths): Promise<Cost> {
    const { times, series, prepare, run, parts = 1, isMetered = false } = paths[name];
    const costs: Cost[] = [];
    const least = (of: keyof Cost) => Math.min(...costs.map((cost) => cost[of]));
    const leastCost = () => ({ kib: least('kib'), calls: least('calls'), statements: least('statements') });
    const row = name in HOT_PATHS ? HOT_PATHS[name as Name][kind] : undefined;
    const isBeyond = () => row !== undefined && findCostly(leastCost(), row).length > 0;
    const most = FURTHER * series;
    await prepare?.(times * most);
    for (let tries = 0; tries < most && (costs.length < series || isBeyond()); tries++) {
      await server.begin();
      for (let n = 0; n < times; n++) await run(tries * times + n);
      const { bytes, calls, statements, collections } = await server.end(isMetered);
      const texts = statements.filter((text) => !BESIDE.test(text));
      const of = (total: number) => total / times / parts;
      if (collections === 0) costs.push({ kib: of(bytes / 1024), calls: of(calls), statements: of(texts.length) });
    }
    return leastCost();
  }

  it.each(Object.keys(HOT_PATHS) as Name[])(
    'is bounded in bytes, calls of the system and statements: %s',
    async (name) => {
      const counted = await Promise.all(
        subjects.map(async (subject) => ({ kind: subject.kind, cost: await count(subject, name) })),
      );
      const costly = counted.flatMap(({ kind, cost }) =>
        findCostly(cost, HOT_PATHS[name][kind]).map((of) => `${kind}: ${of}`),
      );
      if (process.env.TRAMONTANE_PRINT_COSTS) console.log(printRows(name, counted));
      expect(costly, `As counted now:\n${printRows(name, counted)}`).toEqual([]);
    },
  );

  it('is at most 12 KiB of the heap for each stream that waits', async () => {
    const [subject] = subjects;
    if (!subject) throw new Error('There is no server.');
    (await holdStreams(subject.server, 20)).close();
    const before = await subject.server.held();
    const streams = await holdStreams(subject.server, STREAMS);
    // Heartbeats would be counted with the next test.
    onTestFinished(() => streams.close());
    const perStream = async () => ((await subject.server.held()) - before) / STREAMS / 1024;
    await vi.waitFor(async () => expect(await perStream()).toBeLessThanOrEqual(STREAM_KIB_MAX), WAIT);
    expect(await perStream()).toBeGreaterThan(1);
  });

  it('is counted: one more list of numbers, read of a file and statement', async () => {
    for (const subject of subjects) {
      const thrift = await count(subject, 'thrift');
      const waste = await count(subject, 'waste');
      expect(waste.kib - thrift.kib).toBeGreaterThan(WASTED_KIB);
      // What the server does beside may fall into all series of a busy machine.
      expect(Math.floor(waste.statements - thrift.statements)).toBe(1);
      if (process.platform === 'linux') expect(waste.calls - thrift.calls).toBeGreaterThanOrEqual(1);
    }
  });

  it('is refused from a tenth more on, and a fifth of a call or statement more', () => {
    const row = { kib: 100, calls: 4, statements: 0 };
    expect(findCostly({ kib: 109, calls: 4.5, statements: 0.1 }, row)).toEqual([]);
    expect(findCostly({ kib: 115, calls: 4.7, statements: 1 }, row)).toEqual([
      '115 kib, at most 110',
      '4.7 calls, at most 4.6',
      '1 statements, at most 0.2',
    ]);
  });
});
