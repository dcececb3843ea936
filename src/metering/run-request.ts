import type { Clock } from '../kit/base/clock.ts';
import { ApiError, type RequestContext } from '../kit/http/index.ts';
import { CLIENT_LEFT, type Meter, type MeterReservation, type TokenUsage, type UsageRecord } from './meter.ts';
import type { UsageKind } from './schema.ts';

/** Who asks, when they leave, and where headers of the answer go. */
export type Call = Pick<RequestContext, 'scope' | 'requestId' | 'signal' | 'setHeader'>;

export type Accounts = { now: Clock; meter?: Meter | undefined; onUsage?: ((record: UsageRecord) => void) | undefined };

export type Run = {
  startedAt: number;
  /** The end of the request; a second one is not heard. */
  settle(status: number, usage: TokenUsage): void;
  /** The same for a request that failed or was left. Returns what to throw: that a client left is nobody's fault. */
  fail(error: unknown, usage: TokenUsage): unknown;
};

const NOTHING: TokenUsage = { promptTokens: 0, completionTokens: 0 };

export async function startRun(
  { now, meter, onUsage }: Accounts,
  call: Call,
  request: { kind: UsageKind; model: string; estimatedTokens: number; isPart?: boolean },
): Promise<Run> {
  const startedAt = now();
  const reservation: MeterReservation | undefined = meter && (await meter.reserve(call.scope, request));
  if (reservation?.headers)
    for (const [name, value] of Object.entries(reservation.headers)) call.setHeader(name, value);
  let isSettled = false;

  function settle(status: number, usage: TokenUsage): void {
    if (isSettled) return;
    isSettled = true;
    const { scope, requestId } = call;
    const { kind, model } = request;
    const record = { scope, requestId, kind, model, usage, status, latencyMs: now() - startedAt };
    reservation?.settle(record);
    onUsage?.(record);
  }

  return {
    startedAt,
    settle,
    fail(error, usage) {
      if (call.signal.aborted) {
        settle(CLIENT_LEFT, usage);
        return new ApiError(CLIENT_LEFT, 'The client closed the connection.');
      }
      settle(error instanceof ApiError ? error.status : 500, usage.completionTokens > 0 ? usage : NOTHING);
      return error;
    },
  };
}
