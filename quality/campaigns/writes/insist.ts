import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Ask } from '../platform/ask.ts';
import type { Write } from './kinds.ts';

/** Between two attempts, at random, as clients that back off do. */
const PAUSE_MS = { shortest: 100, longest: 200 };
/** What a run came to whose server died in the middle of a message: final, and said again to who asks with the same key. */
const CUT_OFF = 'The server stopped during this answer';
/** The claim of the key stands, and so does the work; only the answer to it was lost. */
const ANSWER_LOST = 'or its answer was lost in a crash';

export type Outcome = 'done' | 'done-before' | 'cut-off' | { refused: Answer };

/** Sends a write until somebody answers it for good, always with the same key. */
export async function insist(ask: Ask, write: Write, onRepeat: () => void = () => undefined): Promise<Outcome> {
  for (;;) {
    const outcome = judge(await ask(write.path, write));
    if (outcome) return outcome;
    onRepeat();
    await delay(PAUSE_MS.shortest + Math.random() * (PAUSE_MS.longest - PAUSE_MS.shortest));
  }
}

/** Undefined when it may be sent again. */
export function judge(answer: Answer | undefined): Outcome | undefined {
  if (!answer) return undefined;
  if (answer.status < 300) return 'done';
  if (answer.text.includes(CUT_OFF)) return 'cut-off';
  if (answer.status === 409 && answer.text.includes(ANSWER_LOST)) return 'done-before';
  // An execution is named by its id, and this one runs already.
  if (answer.status === 409 && answer.text.includes('WF_110')) return 'done-before';
  // No worker has told the server yet that it is there.
  if (answer.status >= 500 || answer.text.includes('WF_1111')) return undefined;
  return { refused: answer };
}
