import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Ask } from '../platform/ask.ts';
import type { Write } from './kinds.ts';

/** Random pause between two attempts, as in clients that back off. */
const PAUSE_MS = { shortest: 100, longest: 200 };
/** The error of a run whose server died during a message: final, and repeated for the same key. */
const CUT_OFF = 'The server stopped during this answer';
/** The key is claimed and the work is done; only the response was lost. */
const ANSWER_LOST = 'or its answer was lost in a crash';

export type Outcome = 'done' | 'done-before' | 'cut-off' | { refused: Answer };

/** Repeats a write with the same key until the response is final. */
export async function retryWrite(ask: Ask, write: Write, onRepeat: () => void = () => undefined): Promise<Outcome> {
  for (;;) {
    const outcome = classifyAnswer(await ask(write.path, write));
    if (outcome) return outcome;
    onRepeat();
    await pauseBeforeRepeat();
  }
}

export function pauseBeforeRepeat(): Promise<void> {
  return delay(PAUSE_MS.shortest + Math.random() * (PAUSE_MS.longest - PAUSE_MS.shortest));
}

/** Undefined when the write may be sent again. */
export function classifyAnswer(answer: Answer | undefined): Outcome | undefined {
  if (!answer) return undefined;
  if (answer.status < 300) return 'done';
  if (answer.text.includes(CUT_OFF)) return 'cut-off';
  if (answer.status === 409 && answer.text.includes(ANSWER_LOST)) return 'done-before';
  // An execution is identified by its id, and this one already runs.
  if (answer.status === 409 && answer.text.includes('WF_110')) return 'done-before';
  // No worker has registered yet.
  if (answer.status >= 500 || answer.text.includes('WF_1111')) return undefined;
  return { refused: answer };
}
