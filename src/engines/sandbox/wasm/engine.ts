import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeFile, isBuilt, packageFile } from '../../../kit/base/locations.ts';
import type { Logger } from '../../../kit/base/log.ts';
import { OWN_WORK } from '../../../kit/fair-queue/index.ts';
import { engineErrors } from '../../errors.ts';
import { explainMissingPackages } from '../../optional-packages.ts';
import { createChildPool } from '../../process/child-pool.ts';
import { ChildExited, RequestFailed } from '../../process/start-child.ts';
import { checkRequest } from '../check-request.ts';
import {
  type Sandbox,
  type SandboxLimits,
  type SandboxQueue,
  type SandboxRequest,
  type SandboxResult,
  waitingLimits,
} from '../sandbox.ts';
import { findPython, type PythonFiles } from './find-python.ts';
import type { WasmResult, WasmSettings } from './protocol.ts';

const START_MS_MAX = 30_000;
const IDLE_MS = 60_000;
const HEAP_MIB = 128;
/** WebAssembly memory never shrinks, so a process whose memory grew beyond this is not used again. */
const SPENT_BYTES = 64 * 1024 * 1024;
const MISSING_RETRY_SECONDS = 3600;
const NO_OUTPUT = { exitCode: null, stdout: '', stderr: '', isOutputCut: false, files: [], filesLeftOut: 0 };

export type WasmOptions = SandboxQueue & { limits: SandboxLimits; log: Logger; idleMs?: number };

/** CPython as WebAssembly in child processes: at most `concurrency`, started when needed, ended when idle. */
export function createWasmSandbox({ limits, log, idleMs = IDLE_MS, ...queue }: WasmOptions): Sandbox {
  const pool = createChildPool<WasmSettings, SandboxRequest, WasmResult>({
    ...queue,
    ...waitingLimits,
    idleMs,
    child() {
      const files = requirePython();
      return {
        name: 'code interpreter',
        entry: codeFile('engines/sandbox/wasm/child.ts'),
        settings: { files, limits },
        variables: [],
        log,
        nodeOptions: restrictions(files),
        heapMib: HEAP_MIB,
        stepMs: limits.timeMs,
        // A program in an endless loop cannot be asked to stop.
        endMs: 0,
        patience: { startingMs: START_MS_MAX, silentMs: Number.POSITIVE_INFINITY },
      };
    },
  });

  return {
    kind: 'wasm',
    async run(request, signal, tenant = OWN_WORK) {
      checkRequest(request, limits);
      requirePython();
      return pool.run(tenant, signal, async (child): Promise<SandboxResult> => {
        let result: SandboxResult = { ...NO_OUTPUT, state: 'crashed' };
        let isSpent = true;
        try {
          for await (const [run] of child.request(request, signal))
            if (run) [result, isSpent] = [run.result, run.memoryBytes > SPENT_BYTES];
          return result;
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof ChildExited && error.killed === 'slow') return { ...NO_OUTPUT, state: 'timeout' };
          if (error instanceof ChildExited && !error.wasReady) throw doesNotStart(error);
          if (error instanceof ChildExited || error instanceof RequestFailed) return result;
          throw error;
        } finally {
          if (isSpent) void child.end();
        }
      });
    },
    close: pool.close,
  };
}

const BUILT_FROM = ['engines/sandbox/*'];
const MADE_FROM = [...BUILT_FROM, 'engines/process/*', 'kit/base/*'];

/** Node's own permissions: of the disk only what the child is made of, no processes, no threads, no native code. */
function restrictions({ program }: PythonFiles): string[] {
  const readable = [
    ...(isBuilt ? BUILT_FROM : MADE_FROM).map((path) => fileURLToPath(codeFile(path))),
    // The built child contains it.
    ...(isBuilt ? [] : [fileURLToPath(new URL('../*', import.meta.resolve('@runno/wasi')))]),
    packageFile('package.json'),
    join(dirname(program), '*'),
  ];
  return ['--permission', ...readable.map((path) => `--allow-fs-read=${path}`)];
}

function doesNotStart(cause: Error): Error {
  const message = 'The code interpreter does not start. Try again in a moment.';
  return engineErrors.code_interpreter_unusable(message, { retryAfterSeconds: 5, cause });
}

function requirePython(): PythonFiles {
  const files = findPython();
  if (files) return files;
  throw engineErrors.package_missing(
    explainMissingPackages('wasm', 'The code interpreter') ?? 'The code interpreter is not installed here.',
    { retryAfterSeconds: MISSING_RETRY_SECONDS },
  );
}
