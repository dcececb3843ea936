import type { Logger } from '../kit/base/log.ts';
import type { Engine, EngineState } from './engine.ts';
import { engineErrors } from './errors.ts';

const WAIT_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;
/** Only a restart finds a package. */
const PACKAGE_RETRY_SECONDS = 3600;

export type PulledEngineOptions<W> = {
  /** The model's name, for messages. */
  name: string;
  /** What the engine offers once it is open. The rooms need to know before. */
  offers: {
    fim?: boolean;
    embeddings?: boolean;
    classification?: boolean;
    constrains?: boolean;
    ocr?: boolean;
    transcription?: boolean;
  };
  /** The argument of `tramontane pull`, if that is not the name. */
  pullAs?: string;
  /** The weights if they are here; undefined when they are not. */
  find(): Promise<W | undefined>;
  /** Fetches them; undefined when only the operator may. */
  fetch: (() => Promise<W>) | undefined;
  /** The progress of the download, for messages to waiting clients. */
  describe(): string;
  open(weights: W): Engine;
  /** Why the engine could not use its weights: a missing package, in words for clients. */
  obstacle?: string | undefined;
  log: Logger;
  waitMs?: number;
};

export type PulledEngine = Engine & {
  /** Looks for the weights and begins to fetch them where that is allowed. Never throws; see `state`. */
  prepare(options?: { onlyInstalled: boolean }): Promise<void>;
  /** The engine on its weights, once they are here. */
  current(): Engine | undefined;
};

/**
 * An engine whose weights may still be downloading. The server is ready before they are: a request waits a while for them,
 * then fails with what is missing and when to retry.
 */
export function createPulledEngine<W>(options: PulledEngineOptions<W>): PulledEngine {
  const { name, offers, log, waitMs = WAIT_MS } = options;
  let engine: Engine | undefined;
  let failure: string | undefined;
  let preparing: Promise<void> | undefined;
  let isIdle = false;

  async function prepareOnce(): Promise<void> {
    try {
      const found = await options.find();
      const weights = found ?? (await options.fetch?.());
      if (weights !== undefined) engine = options.open(weights);
      failure = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // Every request tries again, and would repeat it.
      if (message !== failure)
        log.error(
          { err: error },
          `The weights of ${name} could not be fetched. Requests try again; "tramontane pull ${options.pullAs ?? name}" shows what is wrong.`,
        );
      failure = message;
    } finally {
      preparing = undefined;
    }
  }

  async function prepare({ onlyInstalled = false } = {}): Promise<void> {
    if (options.obstacle !== undefined) return;
    if (onlyInstalled) return preparing ?? openInstalled();
    isIdle = false;
    preparing ??= prepareOnce();
    await preparing;
  }

  /** What is not here is fetched by the first request. */
  async function openInstalled(): Promise<void> {
    isIdle = options.fetch !== undefined;
    const found = await options.find().catch(() => undefined);
    if (found !== undefined && !engine && !preparing) engine = options.open(found);
  }

  async function opened(signal: AbortSignal): Promise<Engine> {
    if (engine) return engine;
    if (options.obstacle !== undefined)
      throw engineErrors.package_missing(options.obstacle, { retryAfterSeconds: PACKAGE_RETRY_SECONDS });
    // Every request tries again: the operator may have added the weights meanwhile.
    await within(prepare(), waitMs, signal);
    if (engine) return engine;
    throw engineErrors.weights_missing(missing(), { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  function missing(): string {
    if (options.obstacle !== undefined) return options.obstacle;
    if (preparing)
      return `The weights of ${name} are still on their way: ${options.describe()}. Try again in a moment.`;
    if (failure) return `The weights of ${name} could not be fetched: ${failure}`;
    if (isIdle) return `The weights of ${name} are downloaded when a request first needs them.`;
    return `The weights of ${name} are not here. Ask the operator to run "tramontane pull ${options.pullAs ?? name}".`;
  }

  const state = (): EngineState => {
    if (engine) return engine.state();
    return preparing || isIdle
      ? { kind: 'waiting', reason: missing(), retryAfterSeconds: RETRY_AFTER_SECONDS }
      : { kind: 'failed', reason: missing() };
  };

  return {
    prepare,
    current: () => engine,
    state,
    device: () => engine?.device?.(),
    ...(offers.constrains && { constrains: true }),
    complete: async (request, signal, tally) => (await opened(signal)).complete(request, signal, tally),
    async *stream(request, signal, tally) {
      yield* (await opened(signal)).stream(request, signal, tally);
    },
    countPrompt: async (request, signal) => (await opened(signal)).countPrompt?.(request, signal),
    ...(offers.fim && {
      completeFim: async (request, signal, tally) =>
        required((await opened(signal)).completeFim)(request, signal, tally),
      async *streamFim(request, signal, tally) {
        yield* required((await opened(signal)).streamFim)(request, signal, tally);
      },
    }),
    warm: async (signal) => (await opened(signal)).warm?.(signal),
    ...(offers.embeddings && {
      embed: async (texts, signal, dimension, tally, tenant) =>
        required((await opened(signal)).embed)(texts, signal, dimension, tally, tenant),
      countTokens: async (texts, signal, tenant) => required((await opened(signal)).countTokens)(texts, signal, tenant),
    }),
    ...(offers.classification && {
      classify: async (texts, signal, tally, tenant) =>
        required((await opened(signal)).classify)(texts, signal, tally, tenant),
    }),
    ...(offers.ocr && {
      ocr: {
        read: async (request, signal, tally) => required((await opened(signal)).ocr).read(request, signal, tally),
      },
    }),
    ...(offers.transcription && {
      transcription: {
        async *transcribe(request, signal, tally) {
          yield* required((await opened(signal)).transcription).transcribe(request, signal, tally);
        },
        listen: async (options, signal, tally) =>
          required(required((await opened(signal)).transcription).listen)(options, signal, tally),
      },
    }),
    async close() {
      await engine?.close();
    },
  };
}

function required<T>(method: T | undefined): T {
  if (method === undefined) throw new Error('The engine does not offer what it was announced for.');
  return method;
}

async function within(work: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const limit = new Promise<void>((resolve, reject) => {
    timer = setTimeout(resolve, ms);
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    if (abort) signal.removeEventListener('abort', abort);
  }
}
