import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import type { Logger } from '../../kit/base/log.ts';
import { endWithParent } from './end-with-parent.ts';
import { homeOfNobody, pickEnvironment } from './environment.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { type FromChild, Refusal, type ToChild } from './protocol.ts';
import { type Patience, watchChild } from './watch-child.ts';

const END_MS = 2000;
const MEMORY_CHECK_MS = 100;
const LAST_WORDS_MS = 1000;
const LINE_CHARACTERS_MAX = 500;
const MEBIBYTE = 1024 * 1024;
/** Linux counts the time of processes in hundredths of a second, whatever its clock does. */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

export type ChildOptions<Settings> = {
  /** For the log. */
  name: string;
  /** The module that the process runs; it calls `serveParent`. */
  entry: URL;
  settings: Settings;
  /** Names of the variables that it needs from the server's environment. It gets no others. */
  variables: readonly string[];
  environment?: Record<string, string | undefined> | undefined;
  log: Logger;
  /** On a machine with few cores the server answers others first, also while the process starts. */
  yields?: boolean;
  nodeOptions?: string[];
  /** Bounds the JavaScript heap. */
  heapMib?: number;
  /** Of all its memory, checked while it serves a request. */
  memoryMib?: number;
  /** How long a request may go without any message of its child. */
  stepMs?: number;
  /** For a child whose libraries may print parts of a prompt: gets each line, and decides what of it is logged. */
  onLine?: (line: string, from: 'stdout' | 'stderr', isReady: boolean) => void;
  /** How long it may take to exit by itself when it is ended; 0 for one that runs untrusted code. */
  endMs?: number;
  patience?: Partial<Patience> | undefined;
};

export type ChildEvents = {
  loading?(facts: object): void;
  ready?(facts: object | undefined): void;
  /** The child reported that it cannot serve; it exits next. */
  unusable?(reason: string | undefined, detail: string): void;
  exited?(error: ChildExited): void;
};

/** Why a request got no reply. `killed` gives the reason when the server ended the child itself. */
export class ChildExited extends Error {
  readonly killed: 'slow' | 'memory' | 'hung' | 'stalled' | 'stuck' | 'broken' | 'ended' | undefined;
  readonly wasReady: boolean;
  /** How the process ended, if it has. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it did, where the server ended it for that: `made no progress for 300 s`. */
  readonly reason: string | undefined;

  constructor(message: string, about: Pick<ChildExited, 'killed' | 'wasReady' | 'code' | 'signal' | 'reason'>) {
    super(message);
    this.killed = about.killed;
    this.wasReady = about.wasReady;
    this.code = about.code;
    this.signal = about.signal;
    this.reason = about.reason;
  }
}

/** The child failed on one request. The message is for the log. */
export class RequestFailed extends Error {}

export type Child<Request, Part> = {
  /** The parts of a reply as they arrive. Leaving early cancels the request. */
  request(request: Request, signal: AbortSignal, options?: RequestOptions<Part>): AsyncGenerator<Part[], void>;
  /** Requests that are being served. */
  pending(): number;
  isAlive(): boolean;
  pid(): number | undefined;
  /** Lets it exit, and kills it when that takes too long. */
  end(): Promise<void>;
};

export type RequestOptions<Part> = {
  join?: (last: Part, part: Part) => Part | undefined;
  /** After an abort the child may finish its step, so that it is free afterwards; one that takes longer is killed. */
  graceMs?: number;
};

type OpenRequest<Part> = { inbox: Inbox<Part>; timer?: NodeJS.Timeout };

/** How often a child that yields gets its time again if others had most of it. */
const YIELDED_MAX = 4;

/** Starts one child process. It ends with the server, however the server ends. */
export function startChild<Settings, Request, Part>(
  options: ChildOptions<Settings>,
  events: ChildEvents = {},
): Child<Request, Part> {
  const { name, log, endMs = END_MS } = options;
  const open = new Map<number, OpenRequest<Part>>();
  let isReady = false;
  let isGone = false;
  let killed: ChildExited['killed'];
  let killedFor: string | undefined;
  let lastId = 0;

  const child = fork(options.entry, [], {
    execArgv: [
      ...(options.heapMib === undefined ? [] : [`--max-old-space-size=${options.heapMib}`]),
      ...(options.nodeOptions ?? []),
    ],
    env: { ...homeOfNobody(), ...pickEnvironment(options.variables, options.environment ?? {}) },
    serialization: 'advanced',
    stdio: ['ignore', options.onLine ? 'pipe' : 'ignore', 'pipe', 'ipc'],
  });
  // Before Node starts its own threads there, which then have it too.
  if (options.yields && child.pid !== undefined) setPriority(child.pid, lowerPriority());
  endWithParent(child);
  const watch = watchChild({
    patience: options.patience,
    ask: () => post({ kind: 'ping' }),
    hung(reason, how) {
      log.error({ engine: name, reason }, 'the child process hangs and is killed');
      kill(how, reason);
    },
  });
  const { onLine } = options;
  if (onLine) {
    for (const from of ['stdout', 'stderr'] as const)
      child[from]?.setEncoding('utf8').on(
        'data',
        splitLines((line) => onLine(line, from, isReady)),
      );
  } else
    child.stderr?.setEncoding('utf8').on('data', (text: string) => log.debug({ engine: name, text }, 'child process'));
  child.on('message', receive);
  child.on('error', (error) => {
    child.kill('SIGKILL');
    exited(error);
  });
  child.once('exit', (code, signal) => {
    const end = () => exited(new Error(`It ended with ${signal ?? code}.`));
    if (!onLine) return end();
    // Its last words may still be in the pipes, which a process that it left behind may hold open.
    child.once('close', end);
    setTimeout(end, LAST_WORDS_MS).unref();
  });
  const { promise: ended, resolve: confirmEnded } = Promise.withResolvers<void>();
  const memoryTimer = options.memoryMib === undefined ? undefined : setInterval(checkMemory, MEMORY_CHECK_MS);
  memoryTimer?.unref();
  post({ kind: 'start', settings: options.settings });

  function receive(message: FromChild<Part>): void {
    watch.heard();
    switch (message.kind) {
      case 'pong':
        watch.answered(message.work);
        break;
      case 'loading':
        events.loading?.(message.facts);
        break;
      case 'ready':
        isReady = true;
        watch.ready();
        for (const request of open.values()) limitStep(request);
        events.ready?.(message.facts);
        break;
      case 'unusable':
        log.error({ engine: name, detail: message.detail }, 'the engine cannot be started');
        events.unusable?.(message.reason, message.detail);
        break;
      case 'log':
        log.error({ engine: name, detail: message.message }, 'the engine reported an error');
        break;
      case 'stuck':
        log.error({ engine: name, reason: message.reason }, 'the child process is stuck on a request and is killed');
        kill('stuck', message.reason);
        break;
      case 'broken':
        kill('broken', message.reason);
        break;
      case 'parts':
        for (const [id, parts] of message.items) {
          const request = open.get(id);
          if (!request) continue;
          limitStep(request);
          request.inbox.push(parts);
        }
        break;
      case 'end':
        open.get(message.id)?.inbox.end();
        break;
      case 'refused':
        open.get(message.id)?.inbox.fail(new Refusal(message.code, message.message));
        break;
      case 'failed':
        log.error({ engine: name, reason: message.reason }, 'the child process failed on a request');
        open.get(message.id)?.inbox.fail(new RequestFailed(message.reason));
    }
  }

  /** Time counts from when the child is loaded; before that it is the watchdog's matter. */
  function limitStep(request: OpenRequest<Part>, yielded = 0): void {
    const { stepMs, yields } = options;
    if (stepMs === undefined || !isReady) return;
    clearTimeout(request.timer);
    const before = yields ? computedMs(child) : undefined;
    request.timer = setTimeout(() => {
      const computed = before === undefined ? stepMs : (computedMs(child) ?? stepMs) - before;
      // On a busy machine a child that yields waits for others, which is not the fault of its request.
      if (computed < stepMs / 2 && yielded < YIELDED_MAX) limitStep(request, yielded + 1);
      else kill('slow');
    }, stepMs);
  }

  function exited(cause: Error): void {
    if (isGone) return;
    isGone = true;
    confirmEnded();
    child.stdout?.destroy();
    child.stderr?.destroy();
    watch.stop();
    clearInterval(memoryTimer);
    const error = gone(` ${cause.message}`);
    events.exited?.(error);
    for (const { inbox } of open.values()) inbox.fail(error);
  }

  function gone(how = ''): ChildExited {
    const { exitCode: code, signalCode: signal } = child;
    const about = { killed, reason: killedFor, wasReady: isReady, code, signal };
    return new ChildExited(`The child process of ${name} is gone.${how}`, about);
  }

  function checkMemory(): void {
    if (open.size > 0 && residentBytes(child) > (options.memoryMib ?? 0) * MEBIBYTE) kill('memory');
  }

  function kill(why: ChildExited['killed'], reason?: string): void {
    if (killed === undefined) [killed, killedFor] = [why, reason];
    child.kill('SIGKILL');
  }

  function isAlive(): boolean {
    return killed === undefined && child.exitCode === null && child.signalCode === null && child.connected;
  }

  // A child that is just exiting takes no messages; `exit` then fails its requests.
  function post(message: ToChild<Settings, Request>): void {
    if (child.connected) child.send(message, () => undefined);
  }

  return {
    async *request(request, signal, { join, graceMs } = {}) {
      signal.throwIfAborted();
      if (!isAlive()) throw gone();
      const id = ++lastId;
      const inbox = createInbox(join);
      const opened: OpenRequest<Part> = { inbox };
      let grace: NodeJS.Timeout | undefined;
      const leave = () => {
        if (graceMs === undefined) return inbox.fail(signal.reason);
        post({ kind: 'cancel', id });
        grace = setTimeout(() => kill('ended'), graceMs);
      };
      open.set(id, opened);
      limitStep(opened);
      signal.addEventListener('abort', leave, { once: true });
      post({ kind: 'request', id, request });
      let isOver = false;
      try {
        for (let parts = await inbox.take(); parts; parts = await inbox.take()) yield parts;
        isOver = true;
        signal.throwIfAborted();
      } finally {
        open.delete(id);
        clearTimeout(opened.timer);
        clearTimeout(grace);
        signal.removeEventListener('abort', leave);
        if (!isOver) post({ kind: 'cancel', id });
      }
    },
    pending: () => open.size,
    isAlive,
    pid: () => child.pid,
    async end() {
      killed ??= 'ended';
      const force = setTimeout(() => child.kill('SIGKILL'), endMs);
      if (endMs === 0) child.kill('SIGKILL');
      else if (child.connected) child.disconnect();
      await ended;
      clearTimeout(force);
    },
  };
}

/** Gives whole lines, and of a long one its beginning. */
function splitLines(give: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(0, LINE_CHARACTERS_MAX);
    for (const line of lines) give(line.slice(0, LINE_CHARACTERS_MAX));
  };
}

/** The resident memory of a process; 0 where the system does not report it. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/** The processor time of a process so far; undefined where the system does not report it. */
function computedMs({ pid }: ChildProcess): number | undefined {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
    const [user, system] = afterName.split(' ').slice(11, 13).map(Number);
    return ((user ?? 0) + (system ?? 0)) * MS_PER_TICK;
  } catch {
    return undefined;
  }
}

/** A server that runs with less than that already may not give its children more. */
function lowerPriority(): number {
  return Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
}
