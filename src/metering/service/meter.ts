import type { Scope } from '../../kit/http/index.ts';
import type { TokenUsage, UsageKind } from '../schema.ts';
import type { Reservation as Admitted, ReserveRequest } from './admission.ts';
import type { Metering } from './metering-service.ts';

export type { TokenUsage };

/** What all attempts at one request used. Emitted exactly once, also when it failed or the client disconnected. */
export type UsageRecord = {
  scope: Scope;
  requestId: string;
  kind: UsageKind;
  /** The id of the model that served the request. */
  model: string;
  usage: TokenUsage;
  /** The HTTP status; 499 when the client disconnected. */
  status: number;
  latencyMs: number;
};

export type MeterReservation = {
  /** Headers about the limits and what is left of them. */
  headers?: Record<string, string>;
  settle(record: UsageRecord): void;
};

/** The interface of limits and ledger for other rooms. `reserve` throws 429 when a limit is used up. */
export type Meter = {
  reserve(scope: Scope, request: ReserveRequest): MeterReservation | Promise<MeterReservation>;
};

export function createMeter(metering: Pick<Metering, 'reserve' | 'settle' | 'record'>): Meter {
  const wrap = (reservation: Admitted): MeterReservation => ({
    headers: reservation.headers,
    // Field by field: on the path of every request, copying the rest of an object costs several microseconds.
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
      return reservation instanceof Promise ? reservation.then(wrap) : wrap(reservation);
    },
  };
}
