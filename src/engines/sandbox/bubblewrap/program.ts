import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { READABLE } from './arguments.ts';
import { killGroup } from './kill-group.ts';

export type ProgramOptions = {
  /** Bubblewrap, by path or name. */
  bubblewrap: string;
  /** The program by its path, and its arguments. */
  command: readonly string[];
  /** All that it gets of an environment, beside a PATH, a HOME and a language. */
  environment: Record<string, string>;
  /** Whether it shares the network of the machine; else it has none. */
  hasNetwork: boolean;
  /** Files and directories of the machine that it may read, and those that it may write. */
  readable: readonly string[];
  writable: readonly string[];
  /** Of all its processes together. */
  memoryBytes: number;
  processesMax: number;
};

/** A program that runs until it is ended, and whose output is read line by line by its user. */
export type Program = {
  stdin: Writable;
  stdout: Readable;
  /** Resolves with what it wrote last to its error output, and how it ended. */
  ended: Promise<string>;
  end(): Promise<void>;
};

const TEMPORARY_BYTES = 64 * 1024 * 1024;
const ERROR_CHARACTERS_MAX = 2000;
const WATCH_MS = 1000;
const PAGE_BYTES = 4096;
/** What looking up names and checking certificates needs. */
const OF_NETWORK = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/ssl',
  '/etc/pki',
  '/etc/ca-certificates',
];
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/work', TMPDIR: '/tmp', LANG: 'C.UTF-8' };

/** Starts a program in namespaces of its own, with two directories in memory and what the operator grants. */
export function startProgram(options: ProgramOptions): Program {
  const { bubblewrap, environment, memoryBytes, processesMax } = options;
  const child = spawn(bubblewrap, programArguments(options), {
    // Given this way, because everybody on the machine can read a command line.
    env: { ...ENVIRONMENT, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_CHARACTERS_MAX);
  });
  // A program that ended closes its pipe; its end is what counts.
  child.stdin.on('error', () => undefined);
  child.stdout.on('error', () => undefined);
  let reason: string | undefined;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`It cannot be started: ${error.message}`));
    child.once('close', (code, signal) => resolve(reason ?? `It ended with ${signal ?? code}. ${errors.trim()}`));
  });
  const watch = setInterval(() => {
    void measureTree(child.pid).then(({ bytes, processes }) => {
      if (bytes > memoryBytes) reason ??= 'It took more memory than it may have.';
      if (processes > processesMax) reason ??= 'It started more processes than it may have.';
      if (reason) killGroup(child);
    });
  }, WATCH_MS).unref();
  void ended.then(() => clearInterval(watch));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    async end() {
      killGroup(child);
      await ended;
    },
  };
}

function programArguments({ command, hasNetwork, readable, writable }: ProgramOptions): string[] {
  const shared = hasNetwork ? OF_NETWORK : [];
  return [
    '--unshare-all',
    ...(hasNetwork ? ['--share-net'] : []),
    '--die-with-parent',
    ...['--hostname', 'sandbox', '--uid', '65534', '--gid', '65534', '--cap-drop', 'ALL'],
    ...readOnly([...READABLE, ...shared]),
    ...['--dev', '/dev'],
    ...['--size', String(TEMPORARY_BYTES), '--tmpfs', '/work'],
    ...['--size', String(TEMPORARY_BYTES), '--tmpfs', '/tmp'],
    // After these two, which would cover what the operator grants below them.
    ...readOnly(readable),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/work'],
    '--',
    ...command,
  ];
}

/** Each only where it is there. */
function readOnly(paths: readonly string[]): string[] {
  return paths.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', realpathSync(path), path]);
}

/** Resident memory and number of a process and all that it started; nothing where the system does not say. */
async function measureTree(pid: ChildProcess['pid']): Promise<{ bytes: number; processes: number }> {
  let bytes = 0;
  let processes = 0;
  const waiting = pid === undefined ? [] : [String(pid)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [statm, children] = await Promise.all([
      read(`/proc/${next}/statm`),
      read(`/proc/${next}/task/${next}/children`),
    ]);
    bytes += Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES;
    processes += 1;
    waiting.push(...children.split(' ').filter((one) => one !== ''));
  }
  return { bytes, processes };
}

function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
