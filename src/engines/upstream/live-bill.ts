import type { Tally } from '../tally.ts';
import { SAMPLE_RATE } from '../transcribe/transcription-engine.ts';

export type LiveBill = {
  /** Counts samples as they are sent. */
  heard(samples: number): void;
  wrote(tokens: number): void;
  seconds(): number;
};

/** Each second that was begun counts, whether or not somebody speaks in it. */
export function createLiveBill(tally: Tally | undefined): LiveBill {
  let samples = 0;
  let billed = 0;
  return {
    heard(more) {
      samples += more;
      const seconds = Math.ceil(samples / SAMPLE_RATE);
      if (seconds > billed) tally?.add({ promptTokens: seconds - billed, completionTokens: 0 });
      billed = seconds;
    },
    wrote(tokens) {
      if (tokens > 0) tally?.add({ promptTokens: 0, completionTokens: tokens });
    },
    seconds: () => samples / SAMPLE_RATE,
  };
}
