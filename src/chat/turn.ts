import type { GuardrailResult } from '../guardrails/index.ts';
import type { Run } from '../metering/index.ts';
import type { Delta, Model, Tally } from '../models/index.ts';

/** An admitted request that has not started yet. Read `deltas` once, or call `abandon`. */
export type Turn = {
  model: Model;
  showsThinking: boolean;
  /** The results of the guardrails, if the request has some. */
  guardrails: GuardrailResult[] | null;
  deltas(): AsyncGenerator<Delta[], undefined>;
  abandon(): void;
};

type Options = {
  model: Model;
  showsThinking: boolean;
  guardrails: GuardrailResult[] | null;
  stream(signal: AbortSignal, tally: Tally): AsyncIterable<Delta[]>;
  run: Run;
  signal: AbortSignal;
};

export function createTurn(options: Options): Turn {
  const { model, showsThinking, guardrails, stream, run, signal } = options;

  async function* deltas(): AsyncGenerator<Delta[], undefined> {
    try {
      for await (const batch of stream(signal, run)) {
        run.answers();
        yield batch;
      }
      run.settle(200);
    } catch (error) {
      throw run.fail(error);
    } finally {
      // For a reader that stopped early; has no effect on a settled run.
      run.fail(undefined);
    }
  }

  return {
    model,
    showsThinking,
    guardrails,
    deltas,
    abandon: () => void run.fail(undefined),
  };
}
