import type { Clock } from '../../kit/base/clock.ts';
import { ApiError, type RequestContext } from '../../kit/http/index.ts';
import type { UsageKind } from '../schema.ts';
import { CLIENT_LEFT, type Meter, type MeterReservation, type TokenUsage, type UsageRecord } from './meter.ts';

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

/** At once when the meter answers from memory: nearly every request then waits for nothing here. */
export function startRun(
  accounts: Accounts,
  call: Call,
  request: { kind: UsageKind; model: string; estimatedTokens: number; isPart?: boolean },
): Run | Promise<Run> {
  const startedAt = accounts.now();
  const reservation = accounts.meter?.reserve(call.scope, request);
  return reservation instanceof Promise
    ? reservation.then((admitted) => new MeteredRun(accounts, call, request, startedAt, admitted))
    : new MeteredRun(accounts, call, request, startedAt, reservation);
}

class MeteredRun implements Run {
  readonly startedAt: number;
  readonly #accounts: Accounts;
  readonly #call: Call;
  readonly #kind: UsageKind;
  readonly #model: string;
  readonly #reservation: MeterReservation | undefined;
  #isSettled = false;

  constructor(
    accounts: Accounts,
    call: Call,
    { kind, model }: { kind: UsageKind; model: string },
    startedAt: number,
    reservation: MeterReservation | undefined,
  ) {
    this.startedAt = startedAt;
    this.#accounts = accounts;
    this.#call = call;
    this.#kind = kind;
    this.#model = model;
    this.#reservation = reservation;
    const headers = reservation?.headers;
    for (const name in headers) call.setHeader(name, headers[name] as string);
  }

  settle(status: number, usage: TokenUsage): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { scope, requestId } = this.#call;
    const { now, onUsage } = this.#accounts;
    const latencyMs = now() - this.startedAt;
    const record = { scope, requestId, kind: this.#kind, model: this.#model, usage, status, latencyMs };
    this.#reservation?.settle(record);
    onUsage?.(record);
  }

  fail(error: unknown, usage: TokenUsage): unknown {
    if (this.#call.signal.aborted) {
      this.settle(CLIENT_LEFT, usage);
      return new ApiError(CLIENT_LEFT, 'The client closed the connection.');
    }
    this.settle(error instanceof ApiError ? error.status : 500, usage.completionTokens > 0 ? usage : NOTHING);
    return error;
  }
}
