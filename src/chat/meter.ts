import type { Scope } from '../kit/http/index.ts';
import type { EngineUsage } from '../models/index.ts';

export type RequestKind = 'chat' | 'fim';

/** What one request cost, told exactly once, also when it failed or the client left. */
export type UsageRecord = {
  scope: Scope;
  requestId: string;
  kind: RequestKind;
  /** The id of the model that served. */
  model: string;
  usage: EngineUsage;
  /** As on the wire; 499 when the client left. */
  status: number;
  latencyMs: number;
};

export type Reservation = {
  /** Headers that tell the client what is left of its limits. */
  headers?: Record<string, string>;
  settle(record: UsageRecord): void;
};

/** The port that the ledger and the limits fill. `reserve` throws a 429 when a limit is used up. */
export type Meter = {
  reserve(scope: Scope, request: { model: string; estimatedTokens: number }): Reservation | Promise<Reservation>;
};

export const CLIENT_LEFT = 499;
