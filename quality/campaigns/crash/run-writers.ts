import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ask } from '../platform/ask.ts';
import { type Ground, type Kind, kindNames, makeWrite } from '../writes/kinds.ts';
import { pauseBeforeRepeat, retryWrite } from '../writes/retry-write.ts';

const PAUSE_MS = 10;
const SIGNALS = 3;

export type Told = {
  /** Marks of what was acknowledged, by kind. */
  done: Record<Kind, Set<string>>;
  /** Marks of everything that was sent, by kind. */
  sent: Record<Kind, Set<string>>;
  /** The signals that each execution acknowledged. */
  heard: Map<string, string[]>;
  repeats: number;
  refusals: string[];
};

export function newTold(): Told {
  const sets = () =>
    Object.fromEntries(kindNames.map((kind) => [kind, new Set<string>()])) as Record<Kind, Set<string>>;
  return { done: sets(), sent: sets(), heard: new Map(), repeats: 0, refusals: [] };
}

/** Runs writers of every kind until the signal aborts; each finishes its current write. */
export async function runWriters(options: {
  ask: Ask;
  ground: Ground;
  count: number;
  told: Told;
  signal: AbortSignal;
}): Promise<void> {
  const { ask, ground, count, told, signal } = options;

  async function write(kind: Kind): Promise<void> {
    const mark = `${kind}-${randomUUID()}`;
    told.sent[kind].add(mark);
    const outcome = await retryWrite(ask, makeWrite(kind, mark, ground), () => told.repeats++);
    if (outcome === 'done' || outcome === 'done-before') told.done[kind].add(mark);
    else if (outcome !== 'cut-off') told.refusals.push(`${kind}: ${outcome.refused.status} ${outcome.refused.text}`);
    if (kind === 'execution') await talk(mark);
  }

  /** A signal has no idempotency key, so an unanswered one is not sent again: it may have been received. */
  async function talk(execution: string): Promise<void> {
    const heard: string[] = [];
    told.heard.set(execution, heard);
    for (let n = 0; n < SIGNALS; n++) {
      const mark = `${execution}:${n}`;
      const answer = await signalTo(execution, 'add', { mark });
      if (answer && answer.status < 300) heard.push(mark);
      if (!answer) await pauseBeforeRepeat();
    }
    for (;;) {
      const answer = await signalTo(execution, 'finish', {});
      // Sending it twice is harmless: the second time the execution may have ended already.
      if (answer && answer.status < 500) return;
      told.repeats++;
      await pauseBeforeRepeat();
    }
  }
  const signalTo = (execution: string, name: string, input: object) =>
    ask(`/v1/workflows/executions/${execution}/signals`, { body: { name, input } });

  await Promise.all(
    Array.from({ length: count }, async (_, writer) => {
      for (let n = writer; !signal.aborted; n++) {
        await write(kindNames[n % kindNames.length] as Kind);
        await delay(PAUSE_MS);
      }
    }),
  );
}
