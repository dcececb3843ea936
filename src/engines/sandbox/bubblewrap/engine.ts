import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { codeFile } from '../../../kit/base/locations.ts';
import { createFairQueue, OWN_WORK } from '../../../kit/fair-queue/index.ts';
import { requestErrors } from '../../../kit/http/index.ts';
import { engineErrors } from '../../errors.ts';
import { boundedOutput } from '../bounded-output.ts';
import { checkRequest } from '../check-request.ts';
import { gatherFiles } from '../gather-files.ts';
import {
  type Sandbox,
  type SandboxLimits,
  type SandboxQueue,
  type SandboxRequest,
  type SandboxResult,
  waitingLimits,
} from '../sandbox.ts';
import { bubblewrapArguments } from './arguments.ts';
import { readResult, writeRequest } from './frames.ts';
import { killGroup } from './kill-group.ts';

const MISSING_RETRY_SECONDS = 3600;
/** Room for names beside the files themselves. */
const RESULT_HEADER_BYTES = 4 * 1024 * 1024;
const OUTPUT_FD = 3;

export type BubblewrapOptions = SandboxQueue & {
  limits: SandboxLimits;
  /** The program, by path or name. */
  bubblewrap: string;
  python: string;
  paths: string[];
};

/** The machine's own Python in Linux namespaces, one process tree for each run. */
export function createBubblewrapSandbox(options: BubblewrapOptions): Sandbox {
  const { limits, bubblewrap, python, paths, concurrency, perTenantMax, watch } = options;
  const queue = createFairQueue({ concurrency, perTenantMax, watch, ...waitingLimits });
  const running = new Set<ChildProcess>();
  const script = ['run-code.py', 'bubblewrap/supervise.py']
    .map((name) => readFileSync(codeFile(`engines/sandbox/${name}`), 'utf8'))
    .join('\n');

  async function runOnce(request: SandboxRequest, signal: AbortSignal): Promise<SandboxResult> {
    const child = spawn(bubblewrap, bubblewrapArguments({ python, script, paths, limits }), {
      // Not ours: the first process inside still shows what bubblewrap was started with.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // A group of its own, to be killed as a whole, and without our terminal.
      detached: true,
    });
    running.add(child);
    const [stdout, stderr] = [boundedOutput(limits.outputBytes), boundedOutput(limits.outputBytes)];
    const result = boundedOutput(limits.fileBytes + RESULT_HEADER_BYTES);
    child.stdout.on('data', stdout.add);
    child.stderr.on('data', stderr.add);
    (child.stdio[OUTPUT_FD] as Readable).on('data', result.add);
    // One that ends before it has read its request closes the pipe; its end is what counts.
    child.stdin.on('error', () => undefined).end(writeRequest(request, limits));
    let isLate = false;
    const kill = () => killGroup(child);
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, limits.timeMs);
    signal.addEventListener('abort', kill, { once: true });
    try {
      await new Promise<void>((resolve, reject) => child.once('close', () => resolve()).once('error', reject));
      signal.throwIfAborted();
    } catch (cause) {
      signal.throwIfAborted();
      throw notUsable(bubblewrap, cause);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      running.delete(child);
    }
    const told = isLate ? undefined : readResult(result.bytes());
    return {
      state: isLate ? 'timeout' : !told ? 'crashed' : told.code === 0 ? 'finished' : 'failed',
      exitCode: told?.code ?? null,
      stdout: stdout.text(),
      stderr: stderr.text(),
      isOutputCut: stdout.isCut() || stderr.isCut(),
      ...gatherFiles(told?.files ?? [], request, limits),
    };
  }

  return {
    kind: 'bubblewrap',
    async run(request, signal, tenant = OWN_WORK) {
      checkRequest(request, limits);
      return queue.run(tenant, signal, () => runOnce(request, signal));
    },
    async close() {
      queue.close(requestErrors.server_stopping);
      const ended = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
      for (const child of running) killGroup(child);
      await Promise.all(ended);
    },
  };
}

function notUsable(program: string, cause: unknown): Error {
  return engineErrors.code_interpreter_unusable(
    `The code interpreter cannot be started here: ${program} is missing or may not run. Ask the operator to look at "tramontane doctor".`,
    { retryAfterSeconds: MISSING_RETRY_SECONDS, cause },
  );
}
