import type { Clock } from '../../kit/base/clock.ts';
import { ApiError, type RequestContext, ValidationFailed } from '../../kit/http/index.ts';
import { meteringErrors } from '../errors.ts';
import type { UsageKind } from '../schema.ts';
import type { Meter, MeterReservation, TokenUsage, UsageRecord } from './meter.ts';

/** The parts of a request that metering needs. */
export type Call = Pick<RequestContext, 'scope' | 'requestId' | 'signal' | 'setHeader'>;

export type Accounts = { now: Clock; meter?: Meter | undefined; onUsage?: ((record: UsageRecord) => void) | undefined };

export type Run = {
  startedAt: number;
  /** Ends the request. Only the first call counts. */
  settle(status: number, usage: TokenUsage): void;
  /** The same for a request that failed or whose client disconnected. Returns the error to throw. */
  fail(error: unknown, usage: TokenUsage): unknown;
};

const NO_USAGE: TokenUsage = { promptTokens: 0, completionTokens: 0 };

/** Synchronous when the meter decides from memory, which is nearly always. */
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
      const disconnected = meteringErrors.client_disconnected();
      this.settle(disconnected.status, usage);
      return disconnected;
    }
    const status = error instanceof ApiError ? error.status : error instanceof ValidationFailed ? 422 : 500;
    this.settle(status, usage.completionTokens > 0 ? usage : NO_USAGE);
    return error;
  }
}
