import type { GuardrailResult } from '../guardrails/index.ts';
import type { Run } from '../metering/index.ts';
import type { Delta, EngineUsage, Model } from '../models/index.ts';

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
  stream(signal: AbortSignal): AsyncIterable<Delta[]>;
  run: Run;
  signal: AbortSignal;
  promptTokens: number;
};

export function createTurn(options: Options): Turn {
  const { model, showsThinking, guardrails, stream, run, signal, promptTokens } = options;

  async function* deltas(): AsyncGenerator<Delta[], undefined> {
    let usage: EngineUsage | undefined;
    let characters = 0;
    const spent = () => usage ?? { promptTokens, completionTokens: Math.ceil(characters / 4) };
    try {
      for await (const batch of stream(signal)) {
        for (const delta of batch) {
          if (delta.kind === 'usage') usage = delta.usage;
          else if (delta.kind === 'text' || delta.kind === 'thinking') characters += delta.text.length;
        }
        yield batch;
      }
      run.settle(200, spent());
    } catch (error) {
      throw run.fail(error, spent());
    } finally {
      // For a reader that stopped early; has no effect on a settled run.
      run.fail(undefined, spent());
    }
  }

  return {
    model,
    showsThinking,
    guardrails,
    deltas,
    abandon: () => void run.fail(undefined, { promptTokens: 0, completionTokens: 0 }),
  };
}
