import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError, badRequest, unavailable } from '../../kit/http/index.ts';
import { endChild } from '../end-child.ts';
import type { Delta, EngineState } from '../engine.ts';
import { createInbox, type Inbox } from '../inbox.ts';
import { type Patience, type Watch, watchChild } from '../watch-child.ts';
import { joinText } from './join-text.ts';
import type { ChildOptions, ChildRequest, ModelFacts, ToChild, ToParent } from './protocol.ts';

export type KeptChild = {
  /** Resolves when the model can answer; starts it if need be. */
  ready(): Promise<void>;
  /** Hands a request to a ready child. `close` is due when the reader leaves, read to the end or not. */
  open(request: ChildRequest): { inbox: Inbox<Delta>; close(): void };
  state(): EngineState;
  facts(): ModelFacts | undefined;
  processId(): number | undefined;
  close(): Promise<void>;
};

export type ChildSettings = {
  name: string;
  log: Logger;
  options: ChildOptions;
  environment: Record<string, string>;
  patience: Partial<Patience> | undefined;
};

const ENTRY = fileURLToPath(new URL('./child.ts', import.meta.url));
const steadyMs = 60_000;
const backoffMsMax = 30_000;
const failureRetryMs = 1000;
const closeMsMax = 2000;

type Phase =
  | { kind: 'idle' }
  | { kind: 'starting'; child: ChildProcess; watch: Watch; ready: Promise<void>; settle: (error?: Error) => void }
  | { kind: 'ready'; child: ChildProcess; watch: Watch; facts: ModelFacts; since: number }
  /** Ended by itself; started again at `at`. */
  | { kind: 'resting'; at: number; timer: NodeJS.Timeout }
  | { kind: 'failed'; reason: string; at: number }
  | { kind: 'closed' };

/** Keeps one child process alive: starts it when it is needed, again when it dies or hangs, ever later if it keeps dying. */
export function keepChild({ name, log, options, environment, patience }: ChildSettings): KeptChild {
  const inboxes = new Map<number, Inbox<Delta>>();
  let phase: Phase = { kind: 'idle' };
  let lastId = 0;
  let deaths = 0;

  function start(): Promise<void> {
    if (!existsSync(options.file)) {
      log.error({ model: name, file: options.file }, 'the weights are missing');
      return fail(`The weights of '${name}' are not on this machine. Ask the operator to pull them.`);
    }
    if (options.adapter !== undefined && !existsSync(options.adapter)) {
      log.error({ model: name, file: options.adapter }, 'the adapter is missing');
      return fail(`The adapter of '${name}' is not on this machine. Ask the operator to add it again.`);
    }
    // The environment of the server holds keys that a model has no use for.
    const child = fork(ENTRY, [], {
      serialization: 'advanced',
      execArgv: [],
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    const watch = watchChild({
      patience,
      ask: () => post(child, { type: 'ping' }),
      hung(reason) {
        log.error({ model: name, reason }, 'the model process hangs and is ended');
        child.kill('SIGKILL');
      },
    });
    phase = { kind: 'starting', child, watch, ready: promise, settle: (error) => (error ? reject(error) : resolve()) };
    child.on('message', (message: ToParent) => receive(child, message));
    child.on('error', (error) => log.error({ model: name, err: error }, 'the model process reported an error'));
    const scratchDirectory = mkdtempSync(join(tmpdir(), 'tramontane-llama-'));
    child.on('exit', (code, signal) => {
      rmSync(scratchDirectory, { recursive: true, force: true });
      watch.stop();
      ended(child, code, signal);
    });
    post(child, { type: 'start', options: { ...options, scratchDirectory } });
    return promise;
  }

  function fail(reason: string, cause?: Error): Promise<void> {
    const error = unavailable(reason, failureRetryMs / 1000, { cause });
    if (phase.kind === 'starting') phase.settle(error);
    phase = { kind: 'failed', reason, at: performance.now() };
    return Promise.reject(error);
  }

  function receive(child: ChildProcess, message: ToParent): void {
    if (phase.kind !== 'starting' && phase.kind !== 'ready') return;
    if (phase.child !== child) return;
    const { watch } = phase;
    watch.heard();
    switch (message.type) {
      case 'ready': {
        if (phase.kind !== 'starting') break;
        const { settle } = phase;
        watch.ready();
        phase = { kind: 'ready', child, watch, facts: message.facts, since: performance.now() };
        log.info({ model: name, processId: child.pid, ...message.facts }, 'the model is loaded');
        settle();
        break;
      }
      case 'failed':
        log.error({ model: name, detail: message.detail }, 'the model cannot be started');
        fail(`The model '${name}' cannot be started: ${message.reason}`, new Error(message.detail)).catch(
          () => undefined,
        );
        break;
      case 'deltas':
        for (const [id, deltas] of message.items) inboxes.get(id)?.push(deltas);
        break;
      case 'end':
        inboxes.get(message.id)?.end();
        break;
      case 'error':
        inboxes
          .get(message.id)
          ?.fail(message.status === 400 ? badRequest(message.message) : new ApiError(message.status, message.message));
        break;
      case 'pong':
        watch.answered(message.work);
        break;
      case 'log':
        log.error({ model: name, detail: message.message }, 'llama.cpp reported an error');
    }
  }

  function ended(child: ChildProcess, code: number | null, signal: string | null): void {
    if ((phase.kind !== 'starting' && phase.kind !== 'ready') || phase.child !== child) return;
    const isSteady = phase.kind === 'ready' && performance.now() - phase.since > steadyMs;
    deaths = isSteady ? 1 : deaths + 1;
    const delayMs = deaths === 1 ? 0 : Math.min(backoffMsMax, 1000 * 2 ** (deaths - 2));
    log.error({ model: name, code, signal, inFlight: inboxes.size, restartMs: delayMs }, 'the model process ended');
    const error = unavailable(
      `The model '${name}' stopped unexpectedly and is being started again. Send the request again.`,
      delayMs / 1000,
    );
    if (phase.kind === 'starting') phase.settle(error);
    const timer = setTimeout(() => void start().catch(() => undefined), delayMs);
    timer.unref();
    phase = { kind: 'resting', at: performance.now() + delayMs, timer };
    for (const inbox of inboxes.values()) inbox.fail(error);
  }

  function ready(): Promise<void> {
    const now = performance.now();
    switch (phase.kind) {
      case 'ready':
        return Promise.resolve();
      case 'starting':
        return phase.ready;
      case 'closed':
        return Promise.reject(unavailable('The server is stopping.', 1));
      case 'failed':
        if (now - phase.at < failureRetryMs) return Promise.reject(unavailable(phase.reason, failureRetryMs / 1000));
        return start();
      case 'resting': {
        if (now < phase.at) {
          const seconds = (phase.at - now) / 1000;
          return Promise.reject(unavailable(`The model '${name}' is being started again after a failure.`, seconds));
        }
        clearTimeout(phase.timer);
        return start();
      }
      case 'idle':
        return start();
    }
  }

  return {
    ready,
    open(request) {
      const { child } = requireReady();
      const id = ++lastId;
      const inbox = createInbox(joinText);
      inboxes.set(id, inbox);
      post(child, { ...request, id });
      return {
        inbox,
        close() {
          inboxes.delete(id);
          if (phase.kind === 'ready' && phase.child === child) post(child, { type: 'cancel', id });
        },
      };
    },
    state() {
      switch (phase.kind) {
        case 'starting':
          return { kind: 'waiting', reason: `The model '${name}' is being loaded.`, retryAfterSeconds: 2 };
        case 'resting': {
          const seconds = Math.max(1, Math.ceil((phase.at - performance.now()) / 1000));
          return { kind: 'waiting', reason: `The model '${name}' is being started again.`, retryAfterSeconds: seconds };
        }
        case 'failed':
          return { kind: 'failed', reason: phase.reason };
        case 'closed':
          return { kind: 'failed', reason: 'The server is stopping.' };
        default:
          return { kind: 'ready' };
      }
    },
    facts: () => (phase.kind === 'ready' ? phase.facts : undefined),
    processId: () => (phase.kind === 'ready' || phase.kind === 'starting' ? phase.child.pid : undefined),
    async close() {
      const last = phase;
      if (last.kind === 'resting') clearTimeout(last.timer);
      phase = { kind: 'closed' };
      if (last.kind === 'starting') last.settle(unavailable('The server is stopping.', 1));
      for (const inbox of inboxes.values()) inbox.fail(unavailable('The server is stopping.', 1));
      if (last.kind === 'starting' || last.kind === 'ready') await endChild(last.child, closeMsMax);
    },
  };

  function requireReady(): Extract<Phase, { kind: 'ready' }> {
    if (phase.kind !== 'ready') throw unavailable(`The model '${name}' is not ready. Send the request again.`, 1);
    return phase;
  }
}

// A child that ends between two events does not take messages; its end is reported by `exit`.
function post(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message, () => undefined);
}
