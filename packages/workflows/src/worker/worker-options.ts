import type { AnyStep, AnyWorkflow, Log } from '../definitions.ts';

export type WorkerOptions = {
  /** The platform's address and a key of the workspace. */
  url: string;
  apiKey: string;
  /** The deployment of this worker; executions are bound to it. Default `default`. */
  deployment?: string;
  /** Default: host name and process id. */
  name?: string;
  /** Default: all definitions of this process. */
  workflows?: readonly AnyWorkflow[];
  steps?: readonly AnyStep[];
  /** The files that define them; needed to bundle them for Temporal. */
  files?: readonly string[];
  /** Maximum number of concurrent steps. Default 100. */
  maxSteps?: number;
  /** Maximum number of concurrent turns. Default 200. */
  maxTurns?: number;
  /** Limits of the cache: runs, and the size of their histories as JSON. */
  cache?: { runsMax?: number; charactersMax?: number };
  log?: Log;
  /** Aborts the start while the server does not respond; use `stop` for a running worker. */
  signal?: AbortSignal;
};

export type Worker = {
  readonly name: string;
  readonly deployment: string;
  readonly workflows: string[];
  readonly steps: string[];
  /** What the worker is doing now. */
  status(): { turns: number; steps: number; cached: number };
  /** Takes no new tasks, finishes the current ones within the timeout, and stops. */
  stop(drainMs?: number): Promise<void>;
  /** Rejects when the server rejects this worker. */
  readonly ended: Promise<void>;
};
