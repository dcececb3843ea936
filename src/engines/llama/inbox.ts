import type { Delta } from '../engine.ts';

export type Inbox = {
  push(deltas: Delta[]): void;
  end(): void;
  fail(error: unknown): void;
  /** What has come since the last call, or undefined at the end. Waits if there is nothing. */
  take(): Promise<Delta[] | undefined>;
};

/**
 * What the model said and nobody has read yet. Neighbouring pieces of text become one, so a reader who falls behind costs
 * the length of the answer and no more; the model never waits for him.
 */
export function createInbox(): Inbox {
  let pending: Delta[] = [];
  let outcome: { error: unknown } | 'open' | 'ended' = 'open';
  let wake: (() => void) | undefined;

  function settle(next: typeof outcome): void {
    if (outcome === 'open') outcome = next;
    wake?.();
  }

  return {
    push(deltas) {
      for (const delta of deltas) {
        const last = pending.at(-1);
        if (last && isText(last) && isText(delta) && last.kind === delta.kind && last.choice === delta.choice) {
          pending[pending.length - 1] = { ...last, text: last.text + delta.text };
        } else pending.push(delta);
      }
      wake?.();
    },
    end: () => settle('ended'),
    fail: (error) => settle({ error }),
    async take() {
      while (pending.length === 0 && outcome === 'open') {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (typeof outcome === 'object') throw outcome.error;
      if (pending.length === 0) return undefined;
      const taken = pending;
      pending = [];
      return taken;
    },
  };
}

function isText(delta: Delta): delta is Extract<Delta, { text: string }> {
  return delta.kind === 'text' || delta.kind === 'thinking';
}
