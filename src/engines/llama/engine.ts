import { availableParallelism } from 'node:os';
import type { Logger } from '../../kit/base/log.ts';
import { unavailable } from '../../kit/http/index.ts';
import type { Delta, Engine } from '../engine.ts';
import type { Patience } from '../watch-child.ts';
import { collectCompletion } from './collect-completion.ts';
import { keepChild } from './keep-child.ts';
import type { ChildRequest, ModelFacts } from './protocol.ts';

export type LlamaOptions = {
  /** What clients call the model; only for messages. */
  name: string;
  /** A GGUF file, and a LoRA adapter on top of it where there is one. */
  file: string;
  adapter?: string;
  log: Logger;
  /** Tokens of one conversation, prompt and answer together; memory is kept for `sequences` times as many. */
  contextTokens?: number;
  /** Answers made at the same time. */
  sequences?: number;
  /** Requests that may wait for a place before new ones are refused. */
  queueMax?: number;
  threads?: number;
  gpu?: 'auto' | false;
  /** The child's whole environment: what a GPU driver needs, and nothing secret. */
  environment?: Record<string, string>;
  /** How long its process may be silent before it is ended and started again. */
  patience?: Partial<Patience>;
};

export type LlamaEngine = Engine & {
  /** Loads the model before the first request needs it. */
  warm(): Promise<void>;
  /** What is known once the model was loaded. */
  facts(): ModelFacts | undefined;
  processId(): number | undefined;
};

const firstGuessMs = 2000;

/** A GGUF model in a process of its own, many answers at a time. */
export function createLlamaEngine(options: LlamaOptions): LlamaEngine {
  const { name, log, sequences = 8, queueMax = 64 } = options;
  const child = keepChild({
    name,
    log,
    environment: options.environment ?? {},
    patience: options.patience,
    options: {
      file: options.file,
      sequences,
      threads: options.threads ?? Math.max(1, availableParallelism() - 1),
      gpu: options.gpu ?? false,
      ...(options.adapter === undefined ? {} : { adapter: options.adapter }),
      ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
    },
  });
  let inFlight = 0;
  let averageMs = firstGuessMs;

  async function* run(request: ChildRequest, signal: AbortSignal): AsyncGenerator<Delta[]> {
    signal.throwIfAborted();
    if (inFlight >= sequences + queueMax) {
      const waitMs = (averageMs * (inFlight - sequences + 1)) / sequences;
      throw unavailable(`The model '${name}' has too many requests waiting. Try again later.`, waitMs / 1000);
    }
    inFlight++;
    const startedAt = performance.now();
    try {
      await unlessAborted(child.ready(), signal);
      const { inbox, close } = child.open(request);
      const abort = () => inbox.fail(signal.reason);
      signal.addEventListener('abort', abort);
      try {
        for (let deltas = await inbox.take(); deltas; deltas = await inbox.take()) yield deltas;
        averageMs = averageMs * 0.8 + (performance.now() - startedAt) * 0.2;
      } finally {
        signal.removeEventListener('abort', abort);
        close();
      }
    } finally {
      inFlight--;
    }
  }

  return {
    complete: (request, signal) => collectCompletion(run({ type: 'chat', request }, signal), request.choices),
    stream: (request, signal) => run({ type: 'chat', request }, signal),
    completeFim: (request, signal) => collectCompletion(run({ type: 'fim', request }, signal), request.choices),
    streamFim: (request, signal) => run({ type: 'fim', request }, signal),
    warm: () => child.ready(),
    state: () => child.state(),
    facts: () => child.facts(),
    processId: () => child.processId(),
    close: () => child.close(),
  };
}

function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  return Promise.race([work, promise]).finally(() => {
    signal.removeEventListener('abort', abort);
    resolve();
  });
}
