import { type ApiError, requestErrors } from '../../kit/http/index.ts';
import type { EngineState } from '../engine.ts';
import { engineErrors, toApiError } from '../errors.ts';
import { Refusal } from './protocol.ts';
import {
  type Child,
  ChildExited,
  type ChildOptions,
  RequestFailed,
  type RequestOptions,
  startChild,
} from './start-child.ts';

const RESTART_MS_MIN = 1000;
const RESTART_MS_MAX = 30_000;
/** One that served this long and then died is started again at once. */
const STEADY_MS = 60_000;

export type SupervisedOptions<Settings> = ChildOptions<Settings> & {
  /** The beginning of a sentence for clients: `The model 'small'`. */
  subject: string;
  /** Why it cannot even be started, such as missing weights. */
  findObstacle?: () => string | undefined;
  /** The error for a request that the child failed on. */
  failed?: (cause: Error) => ApiError;
  loading?: (facts: object) => void;
  /** Called when it ended, with what it reported first. True: `settings` were changed, so that another start is worth a try. */
  recover?: (end: ChildExited, reported: string | undefined) => boolean;
  /** What its libraries said last: of a start that failed the clearest cause. */
  lastWords?: () => string | undefined;
};

export type SupervisedChild<Request, Part> = {
  /** Starts the child before a request needs it. Resolves when it is loaded. */
  warm(): Promise<void>;
  /** The parts of a reply as they arrive; leaving early cancels the request. Starts the child if there is none. */
  request(request: Request, signal: AbortSignal, options?: RequestOptions<Part>): AsyncGenerator<Part[], void>;
  /** Refuses a new request while too many wait. */
  admit(pendingMax: number, retryAfterSeconds?: number): void;
  pending(): number;
  state(): EngineState;
  /** What the child reported when it was ready. */
  facts(): object | undefined;
  pid(): number | undefined;
  close(): Promise<void>;
};

/**
 * Keeps one child process: started when it is first needed, again when it dies or hangs, and later each time if it keeps
 * dying. One that dies while it loads is started again by the next request after a pause.
 */
export function superviseChild<Settings, Request, Part>(
  options: SupervisedOptions<Settings>,
): SupervisedChild<Request, Part> {
  const { name, subject, log } = options;
  let child: Child<Request, Part> | undefined;
  let loading = Promise.withResolvers<void>();
  let facts: object | undefined;
  let readyAt: number | undefined;
  let failure: string | undefined;
  let cause: Error | undefined;
  let deaths = 0;
  let pauseEnds = 0;
  let restart: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Ends after which another child took over at once. */
  const recovered = new WeakSet<ChildExited>();

  function running(): Child<Request, Part> {
    if (isClosed) throw requestErrors.server_stopping();
    if (child) return child;
    if (performance.now() < pauseEnds) throw unavailable();
    return start();
  }

  function start(): Child<Request, Part> {
    clearTimeout(restart);
    const obstacle = options.findObstacle?.();
    if (obstacle !== undefined) {
      if (failure !== obstacle) log.error({ engine: name, reason: obstacle }, 'the engine cannot be started');
      failure = obstacle;
      pauseEnds = performance.now() + RESTART_MS_MIN;
      throw unavailable();
    }
    failure = cause = readyAt = undefined;
    loading = Promise.withResolvers();
    loading.promise.catch(() => undefined);
    const started = startChild<Settings, Request, Part>(options, {
      ...(options.loading && { loading: options.loading }),
      ready(reported) {
        facts = reported;
        readyAt = performance.now();
        log.info(
          { engine: name, processId: started.pid(), ...facts },
          facts ? 'the model is loaded' : 'the child process is ready',
        );
        loading.resolve();
      },
      unusable(reason, detail) {
        failure = `${subject} cannot be started: ${reason ?? 'ask the operator to look into the log.'}`;
        cause = new Error(detail);
      },
      exited,
    });
    child = started;
    return started;
  }

  function exited(error: ChildExited): void {
    child = undefined;
    const reported = failure === undefined ? undefined : (options.lastWords?.() ?? cause?.message);
    cause = reported === undefined ? error : new Error(reported);
    const now = performance.now();
    const wasReady = readyAt !== undefined;
    const isRecovered = !isClosed && options.recover?.(error, reported) === true;
    if (isRecovered && !wasReady) {
      const { resolve, reject } = loading;
      if (startQuietly()) {
        recovered.add(error);
        loading.promise.then(resolve, reject);
        return;
      }
    }
    deaths = isRecovered || (readyAt !== undefined && now - readyAt > STEADY_MS) ? 1 : deaths + 1;
    const restartMs =
      wasReady && deaths === 1 ? 0 : Math.min(RESTART_MS_MAX, RESTART_MS_MIN * 2 ** Math.max(0, deaths - 2));
    pauseEnds = now + restartMs;
    readyAt = undefined;
    loading.reject(isClosed ? requestErrors.server_stopping() : unavailable());
    if (isClosed) return;
    if (failure === undefined && !isRecovered)
      log.error({ engine: name, err: error, restartMs }, 'the child process ended');
    if (wasReady) restart = setTimeout(() => startQuietly(), restartMs).unref();
  }

  function startQuietly(): boolean {
    try {
      start();
      return true;
    } catch {
      // The state says why.
      return false;
    }
  }

  function failed(error: Error): ApiError {
    return engineErrors.engine_failed(`${subject} failed on this request. Try again in a moment.`, {
      retryAfterSeconds: 1,
      cause: error,
    });
  }

  function unavailable(): ApiError {
    const retryAfterSeconds = (pauseEnds - performance.now()) / 1000;
    return failure === undefined
      ? engineErrors.engine_stopped(
          `${subject} stopped unexpectedly and is being started again. Send the request again.`,
          { retryAfterSeconds, cause },
        )
      : engineErrors.engine_unusable(failure, { retryAfterSeconds, cause });
  }

  async function* request(
    asked: Request,
    signal: AbortSignal,
    requestOptions?: RequestOptions<Part>,
  ): AsyncGenerator<Part[], void> {
    signal.throwIfAborted();
    try {
      yield* running().request(asked, signal, requestOptions);
    } catch (error) {
      if (error instanceof ChildExited && recovered.has(error)) yield* request(asked, signal, requestOptions);
      else if (error instanceof ChildExited) throw isClosed ? requestErrors.server_stopping() : unavailable();
      else if (error instanceof Refusal) throw toApiError(error);
      else if (error instanceof RequestFailed) throw (options.failed ?? failed)(error);
      else throw error;
    }
  }

  return {
    async warm() {
      running();
      await loading.promise;
    },
    request,
    admit(pendingMax, retryAfterSeconds = 1) {
      if ((child?.pending() ?? 0) < pendingMax) return;
      const message = `Too many requests wait for ${subject}. Try again in a moment.`;
      throw engineErrors.engine_busy(message, { retryAfterSeconds });
    },
    pending: () => child?.pending() ?? 0,
    state() {
      if (isClosed) return { kind: 'failed', reason: 'The server is stopping.' };
      if (failure !== undefined) return { kind: 'failed', reason: failure };
      if (child && readyAt === undefined)
        return { kind: 'waiting', reason: `${subject} is being loaded.`, retryAfterSeconds: 2 };
      const retryAfterSeconds = Math.ceil((pauseEnds - performance.now()) / 1000);
      if (!child && retryAfterSeconds > 0)
        return { kind: 'waiting', reason: `${subject} is being started again.`, retryAfterSeconds };
      return { kind: 'ready' };
    },
    facts: () => (readyAt === undefined ? undefined : facts),
    pid: () => child?.pid(),
    async close() {
      isClosed = true;
      clearTimeout(restart);
      await child?.end();
    },
  };
}
