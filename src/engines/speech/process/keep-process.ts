import { type ChildProcess, fork } from 'node:child_process';
import type { Logger } from '../../../kit/base/log.ts';
import { unavailable } from '../../../kit/http/index.ts';
import { endChild } from '../../end-child.ts';
import type { EngineState } from '../../engine.ts';
import { createInbox, type Inbox } from '../../inbox.ts';
import { type Patience, type Watch, watchChild } from '../../watch-child.ts';
import type { FromProcess, ToProcess } from './protocol.ts';

const RESTART_MS_MIN = 1000;
const RESTART_MS_MAX = 30_000;

export type ProcessOptions = {
  /** Who speaks, in the words of a client: `The voice Kokoro`. */
  name: string;
  /** The module that the process runs. */
  entry: URL;
  /** Its first argument, as JSON. */
  settings: unknown;
  log: Logger;
  /** Questions that may wait at the same time before a new request is refused. */
  waitingMax: number;
  patience?: Partial<Patience> | undefined;
};

export type KeptProcess<Question, Answer> = {
  /** Refuses a new request while too many wait. A request that has begun is never refused for that. */
  admit(): void;
  /** The answers to one question as they come; leaving early cancels it. Starts the process if there is none. */
  ask(question: Question, signal: AbortSignal): AsyncGenerator<Answer, void>;
  /** Starts the process before anybody asks. */
  start(): void;
  state(): EngineState;
  pid(): number | undefined;
  close(): Promise<void>;
};

/** Keeps a process that speaks: started when it is needed first, and again when it dies or hangs. */
export function keepProcess<Question, Answer>(options: ProcessOptions): KeptProcess<Question, Answer> {
  const { name, log } = options;
  const inboxes = new Map<number, Inbox<Answer>>();
  let child: ChildProcess | undefined;
  let isReady = false;
  let failure: string | undefined;
  /** A process that dies while it loads is started again by the first request after this pause, which doubles. */
  let pauseMs = 0;
  let pauseEnds = 0;
  let nextId = 1;
  let isClosed = false;

  function start(): void {
    if (child || isClosed) return;
    // An empty environment: the server's holds keys that a voice has no use for.
    const started = fork(options.entry, [JSON.stringify(options.settings)], {
      execArgv: [],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child = started;
    failure = undefined;
    const watch = watchChild({
      patience: options.patience,
      ask: () => tell(started, { kind: 'ping' }),
      hung(reason) {
        log.error({ voice: name, reason }, 'the process of a voice hangs and is ended');
        started.kill('SIGKILL');
      },
    });
    started.stderr?.setEncoding('utf8').on('data', (text: string) => log.debug({ voice: name, text }, 'voice'));
    started.on('message', (message: FromProcess<Answer>) => hear(message, watch));
    started.once('error', (error) => ended(started, error));
    started.once('exit', (code, signal) => {
      watch.stop();
      ended(started, new Error(`The process ended with ${signal ?? code}.`));
    });
  }

  function hear(message: FromProcess<Answer>, watch: Watch): void {
    watch.heard();
    switch (message.kind) {
      case 'pong':
        watch.answered(message.work);
        break;
      case 'ready':
        watch.ready();
        isReady = true;
        pauseMs = 0;
        break;
      case 'unusable':
        failure = `${name} cannot be used on this machine. Ask the operator to look into the log.`;
        log.error({ voice: name, reason: message.reason }, 'a voice cannot be loaded');
        break;
      case 'answer':
        inboxes.get(message.id)?.push([message.answer]);
        break;
      case 'done':
        inboxes.get(message.id)?.end();
        break;
      case 'broken':
        log.error({ voice: name, reason: message.reason }, 'a voice failed on a text');
        inboxes.get(message.id)?.fail(unavailable(`${name} failed on this text.`, 1));
    }
  }

  // One that was up starts again at once, to be warm for the next request.
  function ended(which: ChildProcess, cause: Error): void {
    if (child !== which) return;
    child = undefined;
    const wasReady = isReady;
    isReady = false;
    if (!wasReady) {
      pauseMs = Math.min(RESTART_MS_MAX, Math.max(RESTART_MS_MIN, pauseMs * 2));
      pauseEnds = performance.now() + pauseMs;
    }
    const stopped = unavailable(`${name} stopped unexpectedly. Try again in a moment.`, 1, { cause });
    for (const inbox of inboxes.values()) inbox.fail(failure === undefined ? stopped : unusable(failure));
    if (isClosed || !wasReady) return;
    log.error({ voice: name, err: cause }, 'the process of a voice died and is started again');
    start();
  }

  function unusable(reason: string): Error {
    return unavailable(reason, Math.max(1, Math.ceil((pauseEnds - performance.now()) / 1000)));
  }

  function running(): ChildProcess {
    if (isClosed) throw unavailable('The server is stopping.', 1);
    if (!child && performance.now() < pauseEnds)
      throw unusable(failure ?? `${name} could not be started. Try again in a moment.`);
    start();
    return child as ChildProcess;
  }

  return {
    admit() {
      if (inboxes.size >= options.waitingMax)
        throw unavailable(`Too many requests wait for ${name}. Try again in a moment.`, 1);
    },
    async *ask(question, signal) {
      signal.throwIfAborted();
      const current = running();
      const id = nextId++;
      const inbox = createInbox<Answer>();
      const leave = () => inbox.fail(signal.reason);
      inboxes.set(id, inbox);
      signal.addEventListener('abort', leave, { once: true });
      tell(current, { kind: 'ask', id, question });
      let isOver = false;
      try {
        for (let answers = await inbox.take(); answers; answers = await inbox.take()) yield* answers;
        isOver = true;
      } finally {
        inboxes.delete(id);
        signal.removeEventListener('abort', leave);
        if (!isOver) tell(current, { kind: 'cancel', id });
      }
    },
    start,
    state() {
      if (failure !== undefined) return { kind: 'failed', reason: failure };
      return child && !isReady
        ? { kind: 'waiting', reason: `${name} is being loaded.`, retryAfterSeconds: 2 }
        : { kind: 'ready' };
    },
    pid: () => child?.pid,
    async close() {
      isClosed = true;
      if (child) await endChild(child);
    },
  };

  function tell(which: ChildProcess, message: ToProcess<Question>): void {
    // One that is just dying refuses the message; its end is what fails the request.
    if (which.connected) which.send(message, () => undefined);
  }
}
