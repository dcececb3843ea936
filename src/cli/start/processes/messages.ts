import type { ReadMetrics } from '../../../kit/http/index.ts';
import type { BootstrapResult } from '../../../tenants/index.ts';

/** To a process that serves. A connection comes with its socket; the order is kept, so none comes after `retire`. */
export type ToProcess =
  | { kind: 'connection' }
  /** Others take new connections: answer what comes on the old ones, and end. */
  | { kind: 'retire' }
  | { kind: 'stop' }
  | { kind: 'report'; id: number }
  | { kind: 'gathered'; id: number; reports: ReadMetrics[] };

export type FromProcess =
  | { kind: 'ready'; bootstrap: BootstrapResult }
  | { kind: 'failed'; message: string }
  /** Asks for the metrics of all others. */
  | { kind: 'gather'; id: number }
  | { kind: 'reported'; id: number; metrics: ReadMetrics };

/** Set for the processes that are started by the first one. */
export const SHARED_VARIABLE = 'TRAMONTANE_SHARED_PORT';
