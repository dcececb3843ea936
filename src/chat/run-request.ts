import type { Clock } from '../kit/base/clock.ts';
import { ApiError, type RequestContext } from '../kit/http/index.ts';
import type { EngineUsage } from '../models/index.ts';
import { CLIENT_LEFT, type Meter, type RequestKind, type Reservation, type UsageRecord } from './meter.ts';

/** Who asks, when they leave, and where headers of the answer go. */
export type Call = Pick<RequestContext, 'scope' | 'requestId' | 'signal' | 'setHeader'>;

export type Accounts = { now: Clock; meter?: Meter | undefined; onUsage?: ((record: UsageRecord) => void) | undefined };

export type Run = {
  startedAt: number;
  /** The end of the request; a second one is not heard. */
  settle(status: number, usage: EngineUsage): void;
  /** The same for a request that failed or was left. Returns what to throw: that a client left is nobody's fault. */
  fail(error: unknown, usage: EngineUsage): unknown;
};

const NOTHING: EngineUsage = { promptTokens: 0, completionTokens: 0 };

export async function startRun(
  { now, meter, onUsage }: Accounts,
  call: Call,
  request: { kind: RequestKind; model: string; estimatedTokens: number },
): Promise<Run> {
  const startedAt = now();
  const reservation: Reservation | undefined = meter && (await meter.reserve(call.scope, request));
  if (reservation?.headers)
    for (const [name, value] of Object.entries(reservation.headers)) call.setHeader(name, value);
  let isSettled = false;

  function settle(status: number, usage: EngineUsage): void {
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
