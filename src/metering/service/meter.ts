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
  startedAt: number;
  /** The name that the request gave to the model. */
  asked: string;
  /** Until the first part of a stream; undefined for whole answers. */
  firstTokenMs: number | undefined;
  /** The code of the error that ended it. */
  errorCode: string | undefined;
  trace: CallTrace | undefined;
};

/** Where a request belongs: known to whoever made it, and of no use for limits. */
export type CallTrace = {
  /** The W3C header, if the client sent one. */
  traceparent?: string | undefined;
  conversationId?: string | undefined;
  agentId?: string | undefined;
  agentName?: string | undefined;
  agentVersion?: number | undefined;
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

/** `onRecord` sees every record, as it is settled. */
export function createMeter(
  metering: Pick<Metering, 'reserve' | 'settle' | 'record'>,
  onRecord?: (record: UsageRecord, costMicros: number) => void,
): Meter {
  const wrap = (reservation: Admitted): MeterReservation => ({
    headers: reservation.headers,
    // Field by field: on the path of every request, copying the rest of an object costs several microseconds.
    settle(record) {
      const { scope, requestId, kind, model, usage, status, latencyMs } = record;
      const { promptTokens, completionTokens, cachedTokens = 0 } = usage;
      metering.settle(reservation, promptTokens + completionTokens);
      const costMicros = metering.record({
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
      onRecord?.(record, costMicros);
    },
  });
  return {
    reserve(scope, request) {
      const reservation = metering.reserve(scope, request);
      return reservation instanceof Promise ? reservation.then(wrap) : wrap(reservation);
    },
  };
}
