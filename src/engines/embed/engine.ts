import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Logger } from '../../kit/base/log.ts';
import { badRequest, unavailable } from '../../kit/http/index.ts';
import { endChild } from '../end-child.ts';
import type { Embeddings, Engine, EngineState } from '../engine.ts';
import { type Patience, type Watch, watchChild } from '../watch-child.ts';
import type { ChildSettings, FromChild, ToChild } from './protocol.ts';

const WAITING_REQUESTS_MAX = 256;
const RESTART_MS_MIN = 1000;
const RESTART_MS_MAX = 30_000;
const LOADING_SECONDS = 2;

export type EmbedOptions = {
  modelFile: string;
  tokenizerFile: string;
  log: Logger;
  /** Default: all cores but one. */
  threads?: number;
  /** How long its process may be silent before it is ended and started again. */
  patience?: Partial<Patience>;
};

export type EmbedEngine = Engine & {
  embed(texts: string[], signal: AbortSignal): Promise<Embeddings>;
  countTokens(texts: string[], signal: AbortSignal): Promise<number[]>;
  /** Of the process that runs the model, while there is one. */
  pid(): number | undefined;
};

type Answer = Extract<FromChild, { id: number }>;
type Waiting = { take(answer: Answer): void; fail(error: Error): void };

/** A sentence model in a process of its own, started at once and again whenever it dies or hangs. */
export function createEmbedEngine(options: EmbedOptions): EmbedEngine {
  const { modelFile, tokenizerFile, log, threads, patience } = options;
  const waiting = new Map<number, Waiting>();
  const settings: ChildSettings = {
    modelFile,
    tokenizerFile,
    threads: threads ?? Math.max(1, availableParallelism() - 1),
  };
  let state: EngineState = loadingState();
  let child: ChildProcess | undefined;
  let nextId = 1;
  let restartMs = RESTART_MS_MIN;
  let restart: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): void {
    const started = fork(new URL('child.ts', import.meta.url), [JSON.stringify(settings)], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child = started;
    const watch = watchChild({
      patience,
      ask: () => tell(started, { kind: 'ping' }),
      hung(reason) {
        log.error({ reason }, 'the process of the embedding model hangs and is ended');
        started.kill('SIGKILL');
      },
    });
    started.stderr?.setEncoding('utf8').on('data', (text: string) => log.debug({ text }, 'embedding model'));
    started.on('message', (message: FromChild) => hear(message, watch));
    started.once('error', (error) => ended(started, error));
    started.once('exit', (code, signal) => {
      watch.stop();
      ended(started, new Error(`The process ended with ${signal ?? code}.`));
    });
  }

  function hear(message: FromChild, watch: Watch): void {
    watch.heard();
    if (message.kind === 'pong') return;
    if (message.kind === 'ready') {
      watch.ready();
      state = { kind: 'ready' };
      restartMs = RESTART_MS_MIN;
    } else if (message.kind === 'unusable') {
      state = { kind: 'failed', reason: 'The embedding model cannot be loaded.' };
      log.error({ reason: message.reason, modelFile }, 'the embedding model cannot be loaded');
    } else {
      waiting.get(message.id)?.take(message);
    }
  }

  // A child that was up starts again at once; one that died while loading waits longer each time.
  function ended(which: ChildProcess, cause: Error): void {
    if (child !== which) return;
    child = undefined;
    const wasReady = state.kind === 'ready';
    if (state.kind !== 'failed') state = loadingState();
    const stopped = unavailable('The embedding model stopped unexpectedly. Try again in a moment.', 1, { cause });
    for (const request of [...waiting.values()]) request.fail(state.kind === 'failed' ? noModel() : stopped);
    if (isClosed) return;
    if (wasReady) log.error({ err: cause }, 'the embedding model died and is started again');
    restart = setTimeout(start, wasReady ? 0 : restartMs);
    restart.unref();
    if (!wasReady) restartMs = Math.min(RESTART_MS_MAX, restartMs * 2);
  }

  function ask(request: { kind: 'embed' | 'count'; texts: string[] }, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const current = child;
      if (isClosed || !current?.connected) throw noModel();
      if (waiting.size >= WAITING_REQUESTS_MAX)
        throw unavailable('Too many requests wait for the embedding model. Try again in a moment.', 1);
      const id = nextId++;
      const leave = () => {
        tell(current, { kind: 'cancel', id });
        settle();
        reject(signal.reason);
      };
      const settle = () => {
        waiting.delete(id);
        signal.removeEventListener('abort', leave);
      };
      waiting.set(id, {
        take(answer) {
          settle();
          if (answer.kind !== 'broken') return resolve(answer);
          log.error({ reason: answer.reason }, 'the embedding model failed on a request');
          reject(
            unavailable('The embedding model failed. Try again in a moment.', 1, { cause: new Error(answer.reason) }),
          );
        },
        fail(error) {
          settle();
          reject(error);
        },
      });
      signal.addEventListener('abort', leave, { once: true });
      tell(current, { ...request, id });
    });
  }

  function noModel(): Error {
    const reason = state.kind === 'failed' ? state.reason : 'The embedding model is being started.';
    return unavailable(`${reason} Try again in a moment.`, Math.ceil(restartMs / 1000));
  }

  start();
  return {
    async embed(texts, signal) {
      if (texts.length === 0) return { vectors: [], promptTokens: 0 };
      const answer = await ask({ kind: 'embed', texts }, signal);
      if (answer.kind !== 'embedded') throw new Error(`The child answered an embed with ${answer.kind}.`);
      const dimensions = answer.vectors.length / texts.length;
      const rowOf = (_: string, row: number) => answer.vectors.subarray(row * dimensions, (row + 1) * dimensions);
      return { vectors: texts.map(rowOf), promptTokens: answer.tokens.reduce((sum, count) => sum + count, 0) };
    },
    async countTokens(texts, signal) {
      if (texts.length === 0) return [];
      return ((await ask({ kind: 'count', texts }, signal)) as Extract<Answer, { kind: 'counted' }>).tokens;
    },
    complete: () => Promise.reject(onlyEmbeds()),
    stream: () => {
      throw onlyEmbeds();
    },
    state: () => state,
    pid: () => child?.pid,
    async close() {
      isClosed = true;
      clearTimeout(restart);
      if (child) await endChild(child);
    },
  };
}

function loadingState(): EngineState {
  return { kind: 'waiting', reason: 'The embedding model is being loaded.', retryAfterSeconds: LOADING_SECONDS };
}

function onlyEmbeds(): Error {
  return badRequest('This model only embeds. Choose a chat model.');
}

function tell(child: ChildProcess, message: ToChild): void {
  // A child that is just dying refuses the message; its end is what fails the request.
  if (child.connected) child.send(message, () => undefined);
}
