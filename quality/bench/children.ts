import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { scriptFile } from '../../test/support/programs.ts';

const ANSWER_MS = 60_000;
const EXIT_LIMIT_MS = 5000;
const LOG_CHARACTERS_SHOWN = 2000;
const FILES_MAX = 65_536;
const NANOS_PER_MS = 1e6;
/** The Node flags that `npm start` and the image use. */
export const SERVER_FLAGS = ['--max-semi-space-size=16'];
const SERVER = 'serve-platform.ts';

/** Where a child runs: servers that are compared share one core, the load generator has the other. */
type Role = 'server' | 'load' | 'free';

type ChildOptions = {
  role: Role;
  /**
   * Runs before all other processes, where allowed: otherwise a p99 measures those. Only for mostly idle children. By
   * niceness, not a real-time class: the compiler and collector threads of the child then share its core fairly.
   */
  urgent?: boolean;
  /** Runs after all other processes: as if it had a machine of its own, where what it computes delays nobody. */
  modest?: boolean;
  /** Runs what users install, a bundle of the script and the program; by default what this command runs. */
  isBuilt?: boolean;
  nodeArgs?: string[];
  args?: string[];
  env?: Record<string, string>;
};

export type Child = {
  pid: number;
  /** Calls a child that answers (processes/answer.ts); rethrows what it throws. */
  ask<T>(method: string, params?: unknown, limitMs?: number): Promise<T>;
  hasEnded(): boolean;
  /** The end of its output. */
  log(): string;
  /** How long its main thread was runnable without a core, so far; 0 where the system does not report it. */
  waitedMs(): number;
  /** Ends the child by its pid and waits for its exit. A polite signal is followed by SIGKILL after `limitMs`. */
  end(signal?: NodeJS.Signals, limitMs?: number): Promise<void>;
};

export type StartChild = (script: URL, options: ChildOptions) => Child;

const running = new Set<ChildProcess>();
const directories = new Set<string>();

/** Kills all children and removes all directories when this process exits, also by a signal. */
export function cleanUpAtExit(): void {
  process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL');
    for (const directory of directories) remove(directory);
  });
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, async () => {
      const gone = [...running].map((child) => new Promise((resolve) => child.once('exit', resolve)));
      for (const child of running) child.kill('SIGKILL');
      await Promise.race([Promise.all(gone), delay(EXIT_LIMIT_MS)]);
      process.exit(code);
    });
  }
}

export async function inTemporaryDir<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'tramontane-bench-'));
  directories.add(directory);
  try {
    return await work(directory);
  } finally {
    remove(directory);
    directories.delete(directory);
  }
}

// A child that was just killed may still finish a last write, so a directory may not be empty at once.
function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** Runs `work` with a function to start children, and ends all of them afterwards. */
export async function withChildren<T>(directory: string, work: (start: StartChild) => Promise<T>): Promise<T> {
  const started: Child[] = [];
  try {
    return await work((script, options) => {
      const child = startChild(script, options, join(directory, `${started.length}.log`));
      started.push(child);
      return child;
    });
  } finally {
    await Promise.all(started.map((child) => child.end('SIGKILL')));
  }
}

/** Both outputs go to a file: a terminal would slow the child down. */
function startChild(script: URL, options: ChildOptions, log: string): Child {
  const { role, urgent = false, modest = false, isBuilt, nodeArgs = [], args = [], env = {} } = options;
  const file = basename(script.pathname);
  const output = openSync(log, 'a');
  const flags = file === SERVER ? SERVER_FLAGS : [];
  const program = scriptFile(fileURLToPath(script), isBuilt);
  const command = [...pinTo(role), process.execPath, ...flags, ...nodeArgs, program, ...args];
  // The shell and taskset exec, so the pid is Node's own.
  const raiseFiles = `ulimit -n ${FILES_MAX} 2>/dev/null || ulimit -n "$(ulimit -Hn)" 2>/dev/null`;
  // Linux weighs sessions before the niceness within one, so a child with a priority of its own gets a session of its own, and
  // that session the niceness.
  const niceness = urgent ? -20 : modest ? 15 : 0;
  const takeRank =
    niceness === 0 ? ':' : `{ renice -n ${niceness} -p $$; echo ${niceness} >/proc/self/autogroup; } >/dev/null 2>&1`;
  const child = spawn('sh', ['-c', `${raiseFiles}; ${takeRank}; exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', output, output, 'ipc'],
    detached: niceness !== 0,
    env: { ...withoutSettings(process.env), ...env },
  });
  closeSync(output);
  running.add(child);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void gone.then(() => running.delete(child));

  const said = () => readFileSync(log, 'utf8').slice(-LOG_CHARACTERS_SHOWN);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  child.on('message', ({ id, error, result }: { id: number; error?: string; result?: unknown }) => {
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(`${file}: ${error}`));
  });
  const ending = () => new Error(`${file} ended (${child.signalCode ?? child.exitCode}): ${said()}`);
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(ending());
  });
  // A call to a child that has just died is rejected by its exit.
  child.on('error', () => undefined);

  return {
    pid: child.pid ?? 0,
    async ask<T>(method: string, params?: unknown, limitMs = ANSWER_MS): Promise<T> {
      const id = asked++;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer);
      const timer = setTimeout(
        () => answer.reject(new Error(`${file}: no answer to '${method}' in ${limitMs} ms`)),
        limitMs,
      );
      if (hasEnded()) answer.reject(ending());
      else child.send({ id, method, params });
      try {
        return (await answer.promise) as T;
      } finally {
        clearTimeout(timer);
        waiting.delete(id);
      }
    },
    hasEnded,
    log: said,
    waitedMs: () => waitedMs(child.pid ?? 0),
    async end(signal = 'SIGTERM', limitMs = 5000) {
      if (hasEnded()) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
      await gone;
      clearTimeout(timer);
    },
  };
}

function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / NANOS_PER_MS;
  } catch {
    return 0;
  }
}

const cores = allowedCores();

function pinTo(role: Role): string[] {
  const core = role === 'server' ? cores.at(-1) : cores[0];
  if (role === 'free' || core === undefined || cores.length < 2) return [];
  return ['taskset', '-c', String(core)];
}

/** The cores that this process may use, or none where it cannot choose. */
function allowedCores(): number[] {
  if (process.platform !== 'linux' || spawnSync('sh', ['-c', 'command -v taskset']).status !== 0) return [];
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** The operator's own settings must not reach the measured servers. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('TRAMONTANE_') && !name.startsWith('NODE_')),
  );
}
