import type { FairQueueOptions, Tenant } from '../../kit/fair-queue/index.ts';
import { engineErrors, refuseTurn } from '../errors.ts';

/** A file beside a program, before or after it ran. `name` is a path below the working directory, with `/`. */
export type SandboxFile = { name: string; content: Uint8Array };

export type SandboxLimits = {
  /** Of one run, from the start of the interpreter to its end. */
  timeMs: number;
  memoryBytes: number;
  /** Of each of the two texts. */
  outputBytes: number;
  /** Files that come back. */
  filesMax: number;
  /** All files in the sandbox together, given ones included. */
  fileBytes: number;
};

export type SandboxRequest = { code: string; files?: SandboxFile[] };

/** Programs that run at the same time, and how many of one organization. */
export type SandboxQueue = Pick<FairQueueOptions, 'concurrency' | 'perTenantMax' | 'watch'>;

export type SandboxResult = {
  /**
   * `finished`: it ended with 0. `failed`: it ended with another code, after an error of its own, say. `timeout`: it
   * was killed at its time limit. `crashed`: the interpreter itself broke down.
   */
  state: 'finished' | 'failed' | 'timeout' | 'crashed';
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** The program wrote more than `outputBytes`; the rest is lost. */
  isOutputCut: boolean;
  /** What the program wrote or changed below its working directory, sorted by name. */
  files: SandboxFile[];
  /** How many more it wrote than `filesMax`, or under names that cannot be kept. */
  filesLeftOut: number;
};

/** A waiting program is in memory with its files. */
export const waitingLimits: Pick<FairQueueOptions, 'waitingMax' | 'waitingPerTenantMax' | 'refuse'> = {
  waitingMax: 128,
  waitingPerTenantMax: 32,
  refuse: refuseTurn('the code interpreter', engineErrors.code_interpreter_busy),
};

/**
 * Runs untrusted Python. Each run is a fresh interpreter in an empty working directory with the given
 * files; what should be there the next time is carried by the caller, in files.
 */
export type Sandbox = {
  kind: 'wasm' | 'bubblewrap';
  /** Rejects when it could not be tried (too busy, not installed) or `signal` fired; whatever the program does is a result. */
  run(request: SandboxRequest, signal: AbortSignal, tenant?: Tenant): Promise<SandboxResult>;
  close(): Promise<void>;
};
