import type { Scope } from '../../kit/http/index.ts';
import type { UsageKind } from '../schema.ts';
import type { Reservation as Admitted } from './admission.ts';
import type { Metering } from './metering-service.ts';

/** What an engine counted. The input counts once, however many answers were made from it. */
export type TokenUsage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
  reasoningTokens?: number;
};

/** What one request cost, told exactly once, also when it failed or the client left. */
export type UsageRecord = {
  scope: Scope;
  requestId: string;
  kind: UsageKind;
  /** The id of the model that served. */
  model: string;
  usage: TokenUsage;
  /** As on the wire; 499 when the client left. */
  status: number;
  latencyMs: number;
};

export type MeterReservation = {
  /** Headers that tell the client what is left of its limits. */
  headers?: Record<string, string>;
  settle(record: UsageRecord): void;
};

/** What the rooms see of limits and ledger. `reserve` throws a 429 when a limit is used up. */
export type Meter = {
  reserve(
    scope: Scope,
    request: { model: string; estimatedTokens: number; isPart?: boolean },
  ): MeterReservation | Promise<MeterReservation>;
};

export const CLIENT_LEFT = 499;

export function createMeter(metering: Pick<Metering, 'reserve' | 'settle' | 'record'>): Meter {
  const settled = (reservation: Admitted): MeterReservation => ({
    headers: reservation.headers,
    settle({ scope, requestId, kind, model, usage, status, latencyMs }) {
      const { promptTokens, completionTokens, cachedTokens = 0 } = usage;
      metering.settle(reservation, promptTokens + completionTokens);
      metering.record({
        scope,
        requestId,
        kind,
        model,
        promptTokens,
        completionTokens,
        cachedTokens,
        status,
        latencyMs,
      });
    },
  });
  return {
    reserve(scope, request) {
      const reservation = metering.reserve(scope, request);
      return reservation instanceof Promise ? reservation.then(settled) : settled(reservation);
    },
  };
}
