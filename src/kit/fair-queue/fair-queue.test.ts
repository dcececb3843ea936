import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { createFairQueue, type FairQueueOptions, type Refused, type Tenant } from './fair-queue.ts';

const open = new AbortController().signal;
const flush = () => new Promise(setImmediate);

class Full extends Error {
  readonly refused: Refused;
  constructor(refused: Refused) {
    super(refused.by);
    this.refused = refused;
  }
}

/** A queue whose units end when the test says so, and the order in which they started. */
function startQueue(options: Omit<FairQueueOptions, 'refuse'>) {
  const queue = createFairQueue({ ...options, refuse: (refused) => new Full(refused) });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  function submit(organization: string, key: string, name: string, signal = open, isBackground = false) {
    return queue.run({ organization, key, isBackground }, signal, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  }
  async function end(name: string) {
    ends.get(name)?.();
    ends.delete(name);
    await flush();
  }
  return { queue, started, submit, end, running: () => [...ends.keys()] };
}

describe('turns', () => {
  it('starts a newcomer at once while another organization floods the queue, and ends its flood in between', async () => {
    const { started, submit, end } = startQueue({ concurrency: 3 });
    for (let i = 0; i < 50; i++) void submit('a', 'k', `a${i}`);
    await flush();
    expect(started).toEqual(['a0', 'a1']);
    void submit('b', 'k', 'b0');
    await flush();
    expect(started).toEqual(['a0', 'a1', 'b0']);
    void submit('b', 'k', 'b1');
    void submit('c', 'k', 'c0');
    await end('a0');
    expect(started.at(-1)).toBe('c0');
    await end('a1');
    expect(started.at(-1)).toBe('a2');
  });

  it('goes round the organizations, then round the keys of one, and keeps the order of a key', async () => {
    const { started, submit, end } = startQueue({ concurrency: 1 });
    void submit('a', 'k1', 'first');
    for (const name of ['a-k1-1', 'a-k1-2', 'a-k1-3', 'a-k2-1', 'b-k1-1', 'b-k1-2']) {
      const [organization = '', key = ''] = name.split('-');
      void submit(organization, key, name);
    }
    await flush();
    for (let i = 0; i < 6; i++) await end(started.at(-1) ?? '');
    expect(started.slice(1)).toEqual(['b-k1-1', 'a-k1-1', 'b-k1-2', 'a-k2-1', 'a-k1-2', 'a-k1-3']);
  });

  it("runs a client's units before background ones of the same organization, and no other's", async () => {
    const { started, submit, end } = startQueue({ concurrency: 1 });
    void submit('a', 'k', 'first');
    void submit('a', 'batch', 'background', open, true);
    void submit('a', 'k', 'client');
    void submit('b', 'batch', 'theirs', open, true);
    await flush();
    for (let i = 0; i < 3; i++) await end(started.at(-1) ?? '');
    expect(started.slice(1)).toEqual(['theirs', 'client', 'background']);
  });

  it('tells a running unit when another tenant would get its place, and only then', async () => {
    const { queue, submit } = startQueue({ concurrency: 2, perTenantMax: 1 });
    const a = { organization: 'a', key: 'k' };
    void submit('a', 'k', 'a0');
    void submit('b', 'k', 'b0');
    void submit('a', 'k', 'a1');
    void submit('b', 'k', 'b1');
    await flush();
    expect(queue.isContested(a)).toBe(false);
    void submit('a', 'other', 'a2');
    await flush();
    expect(queue.isContested(a)).toBe(true);
  });

  it('lets a waiting unit start when the limit has risen', async () => {
    let limit = 1;
    const { queue, started, submit } = startQueue({ concurrency: 4, limit: () => limit });
    void submit('a', 'k', 'a0');
    void submit('b', 'k', 'b0');
    await flush();
    expect(started).toEqual(['a0']);
    limit = 4;
    queue.wake();
    await flush();
    expect(started).toEqual(['a0', 'b0']);
  });
});

describe('waiting', () => {
  it('refuses a tenant that used up its share of the places while others still get theirs', async () => {
    const { submit, queue } = startQueue({ concurrency: 1, waitingMax: 8, waitingPerTenantMax: 4 });
    void submit('a', 'k', 'running');
    for (let i = 0; i < 3; i++) void submit('a', 'k', `a${i}`);
    await expect(submit('a', 'k', 'over its key')).rejects.toMatchObject({ refused: { by: 'tenant', position: 3 } });
    void submit('a', 'other', 'last place of a');
    await expect(submit('a', 'third', 'over')).rejects.toMatchObject({ refused: { by: 'tenant' } });
    for (let i = 0; i < 3; i++) void submit('b', 'k', `b${i}`);
    void submit('c', 'k', 'c');
    await expect(submit('d', 'k', 'd')).rejects.toMatchObject({ refused: { by: 'server', position: 3 } });
    expect(queue.stats()).toEqual({ running: 1, waiting: 8 });
  });

  it('lets a unit leave at once when its signal fires, and refuses what waits when it closes', async () => {
    const { submit, queue, end } = startQueue({ concurrency: 1 });
    const stop = new AbortController();
    void submit('a', 'k', 'running');
    const left = submit('a', 'k', 'left', stop.signal);
    const waiting = submit('b', 'k', 'waiting');
    stop.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(queue.stats()).toEqual({ running: 1, waiting: 1 });
    queue.close(() => new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    await expect(submit('b', 'k', 'late')).rejects.toThrow('closed');
    await end('running');
    expect(queue.stats()).toEqual({ running: 0, waiting: 0 });
  });
});

type Step =
  | { kind: 'submit'; organization: number; key: number; isBackground: boolean }
  | { kind: 'end'; which: number }
  | { kind: 'abort'; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      organization: fc.nat(3),
      key: fc.nat(2),
      isBackground: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), which: fc.nat(20) }) },
);

type Unit = { tenant: Tenant; line: string; number: number; stop: AbortController; bound: number; startsSeen: number };

it('starves nobody: the first unit of a tenant waits for one unit of each other at most, whatever they do', async () => {
  const runs = fc.asyncProperty(
    fc.integer({ min: 1, max: 4 }),
    fc.array(step, { maxLength: 60 }),
    async (concurrency, steps) => {
      const queue = createFairQueue({ concurrency, refuse: (refused) => new Full(refused) });
      const cap = Math.max(1, concurrency - 1);
      const waiting = new Set<Unit>();
      const running = new Map<Unit, () => void>();
      let count = 0;
      const lastOfLine = new Map<string, number>();
      const inFlight = (organization: string) =>
        [...running.keys()].filter((unit) => unit.tenant.organization === organization).length;

      for (const taken of steps) {
        if (taken.kind === 'submit') {
          const tenant = {
            organization: `o${taken.organization}`,
            key: `k${taken.key}`,
            isBackground: taken.isBackground,
          };
          const line = `${tenant.organization}/${tenant.key}/${tenant.isBackground}`;
          const others = new Set(
            [...waiting].map((unit) => unit.tenant.organization).filter((id) => id !== tenant.organization),
          );
          const isFirst = ![...waiting, ...running.keys()].some(
            (unit) => unit.tenant.organization === tenant.organization,
          );
          const unit: Unit = {
            tenant,
            line,
            number: count++,
            stop: new AbortController(),
            bound: isFirst ? others.size : Number.POSITIVE_INFINITY,
            startsSeen: 0,
          };
          waiting.add(unit);
          queue
            .run(tenant, unit.stop.signal, () => {
              waiting.delete(unit);
              expect(unit.startsSeen).toBeLessThanOrEqual(unit.bound);
              expect(unit.number).toBeGreaterThan(lastOfLine.get(line) ?? -1);
              lastOfLine.set(line, unit.number);
              // Units of its own organization that came later are its own doing.
              for (const other of waiting) if (other.tenant.organization !== tenant.organization) other.startsSeen++;
              return new Promise<void>((resolve) => running.set(unit, resolve));
            })
            .catch((error: unknown) => {
              if (!unit.stop.signal.aborted) throw error;
            });
        } else if (taken.kind === 'end') {
          const unit = [...running.keys()][taken.which % Math.max(1, running.size)];
          if (unit) {
            running.get(unit)?.();
            running.delete(unit);
          }
        } else {
          const unit = [...waiting][taken.which % Math.max(1, waiting.size)];
          unit?.stop.abort(new Error('left'));
          if (unit) waiting.delete(unit);
        }
        await flush();
        expect(queue.stats()).toEqual({ running: running.size, waiting: waiting.size });
        expect(running.size).toBeLessThanOrEqual(concurrency);
        for (let id = 0; id < 4; id++) expect(inFlight(`o${id}`)).toBeLessThanOrEqual(cap);
        // No slot stays empty while somebody may have it.
        if (running.size < concurrency)
          for (const unit of waiting) expect(inFlight(unit.tenant.organization)).toBe(cap);
      }
    },
  );
  await fc.assert(runs, { numRuns: rounds(40, 150) });
});
