import type { GuardrailResult } from '../guardrails/index.ts';
import type { Run } from '../metering/index.ts';
import type { Delta, Model, Tally } from '../models/index.ts';

/** An admitted request. Read `deltas` once, or call `abandon`. */
export type Turn = {
  model: Model;
  showsThinking: boolean;
  /** The results of the guardrails, if the request has some. */
  guardrails: GuardrailResult[] | null;
  /** Asks the model before anybody reads. What it costs from then on counts, also when the turn is abandoned. */
  start(): void;
  deltas(): AsyncIterable<Delta[]>;
  /** Ends a turn that nobody reads any more; whoever has started it aborts its signal too. */
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

  let started: HeadStart | undefined;

  async function* read(): AsyncGenerator<Delta[], undefined> {
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
    start() {
      started ??= new HeadStart(read());
    },
    deltas: () => started ?? read(),
    abandon: () => (started ? started.abandon() : void run.fail(undefined)),
  };
}

/** Deltas of which the first are asked for before their reader is there. */
class HeadStart implements AsyncIterableIterator<Delta[]> {
  readonly #source: AsyncGenerator<Delta[], undefined>;
  #first: Promise<IteratorResult<Delta[], undefined>> | undefined;

  constructor(source: AsyncGenerator<Delta[], undefined>) {
    this.#source = source;
    this.#first = source.next();
    // Its reader gets the error, if there is ever one.
    this.#first.catch(() => undefined);
  }

  next(): Promise<IteratorResult<Delta[], undefined>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#source.next();
  }

  return(): Promise<IteratorResult<Delta[], undefined>> {
    return this.#source.return(undefined);
  }

  abandon(): void {
    // A turn that has failed has settled its account with its error.
    this.return().catch(() => undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
