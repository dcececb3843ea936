import type { Advance, AdvanceRequest, AdvanceResponse, StepResult } from '../protocol.ts';
import { type Api, Refused } from './api.ts';
import { createBackoff } from './backoff.ts';

export type AdvanceAnswer = AdvanceResponse['advances'][number];

export type Sender = {
  /** `check` has the last word, when it is sent: Node has then reported the rejections that the turn left unhandled. */
  advance(advance: Advance, check?: (advance: Advance) => Advance): Promise<AdvanceAnswer & { characters: number }>;
  result(result: StepResult): Promise<'ok' | 'stale'>;
  /** Resolves when all requests have a response. */
  idle(): Promise<void>;
};

type Item = {
  list: 'advances' | 'steps';
  /** Of a turn: those of one run must arrive in order. */
  runId: string | undefined;
  /** Made when it is sent. */
  text: string | undefined;
  write(): string;
  resolve(answer: never): void;
  reject(error: unknown): void;
};

const REQUESTS_MAX = 4;
const BATCH_ITEMS_MAX = 256;
/**
 * While one request is open the next batch fills, since many turns together cost the server far less than one by one. A
 * request that takes longer, as over a slow network, holds up no others.
 */
const FILL_MS = 10;
const BATCH_CHARACTERS_MAX = 4_000_000;

/**
 * Sends turns and step results of all runs in batches: those of one tick, or those that come while requests are open.
 * Turns of a run that is in an open request wait for its answer. Requests without a response are resent; the server deduplicates them.
 */
export function createSender({
  api,
  identity,
  signal,
}: {
  api: Api;
  identity: Pick<AdvanceRequest, 'deployment_name' | 'worker_name'>;
  signal: AbortSignal;
}): Sender {
  const queue: Item[] = [];
  /** Turns that wait, by the runs of open requests. */
  const waiting = new Map<string, Item[]>();
  const head = JSON.stringify(identity).slice(0, -1);
  let underWay = 0;
  let isPlanned = false;
  let sentAt = 0;
  let isFilling = false;
  let whenIdle: (() => void)[] = [];

  function add<T>(list: Item['list'], body: () => unknown, runId?: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const item = { list, runId, text: undefined, write: () => JSON.stringify(body()), resolve, reject };
      if (!isHeldBack(item)) queue.push(item);
      plan();
    });
  }

  function isHeldBack(item: Item): boolean {
    const behind = item.runId === undefined ? undefined : waiting.get(item.runId);
    behind?.push(item);
    return behind !== undefined;
  }

  function letGo(batch: Item[]): void {
    for (const { runId } of batch) {
      if (runId === undefined) continue;
      queue.push(...(waiting.get(runId) ?? []));
      waiting.delete(runId);
    }
  }

  function plan(): void {
    if (isPlanned || underWay >= REQUESTS_MAX || queue.length === 0) return;
    const fillMs = underWay === 0 || queue.length >= BATCH_ITEMS_MAX ? 0 : sentAt + FILL_MS - performance.now();
    if (fillMs > 0) {
      if (isFilling) return;
      isFilling = true;
      setTimeout(() => {
        isFilling = false;
        plan();
      }, fillMs);
      return;
    }
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      if (underWay >= REQUESTS_MAX || queue.length === 0) return;
      underWay++;
      sentAt = performance.now();
      const batch = takeBatch();
      void send(batch).finally(() => {
        underWay--;
        letGo(batch);
        plan();
        if (underWay === 0 && queue.length === 0) {
          for (const resolve of whenIdle) resolve();
          whenIdle = [];
        }
      });
      plan();
    });
  }

  function takeBatch(): Item[] {
    let characters = 0;
    let count = 0;
    for (const item of queue) {
      item.text ??= item.write();
      characters += item.text.length;
      if (count > 0 && (characters > BATCH_CHARACTERS_MAX || count >= BATCH_ITEMS_MAX)) break;
      count++;
    }
    const batch = queue.splice(0, count);
    for (const { runId } of batch) if (runId !== undefined) waiting.set(runId, []);
    const rest = queue.splice(0);
    for (const item of rest) if (!isHeldBack(item)) queue.push(item);
    return batch;
  }

  async function send(batch: Item[]): Promise<void> {
    const advances = batch.filter(({ list }) => list === 'advances');
    const steps = batch.filter(({ list }) => list === 'steps');
    const join = (items: Item[]) => items.map(({ text }) => text).join(',');
    const body = `${head},"advances":[${join(advances)}],"steps":[${join(steps)}]}`;
    try {
      const { data, characters } = await post(body);
      const share = Math.ceil(characters / batch.length);
      for (const [at, { resolve }] of advances.entries())
        resolve({ ...(data.advances[at] as AdvanceAnswer), characters: share } as never);
      for (const [at, { resolve }] of steps.entries()) resolve(data.steps[at]?.status as never);
    } catch (error) {
      // One item is invalid: sending each alone shows which.
      if (error instanceof Refused && error.status !== 401 && batch.length > 1)
        for (const item of batch) await send([item]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function post(body: string) {
    const backoff = createBackoff(2000);
    for (;;) {
      try {
        return await api.post<AdvanceResponse>('/v1/workflows/workers/advance', body, { signal });
      } catch (error) {
        if (error instanceof Refused || signal.aborted) throw error;
        await backoff.wait(signal);
      }
    }
  }

  return {
    advance: (advance, check) => add('advances', () => (check ? check(advance) : advance), advance.run_id),
    result: (result) => add('steps', () => result),
    idle: () =>
      underWay === 0 && queue.length === 0 && !isPlanned
        ? Promise.resolve()
        : new Promise((resolve) => void whenIdle.push(resolve)),
  };
}
