import type { Clock } from '../../kit/base/clock.ts';
import { ApiError, type RequestContext, ValidationFailed } from '../../kit/http/index.ts';
import { meteringErrors } from '../errors.ts';
import type { UsageKind } from '../schema.ts';
import type { CallContent, CallTrace, Meter, MeterReservation, TokenUsage, UsageRecord } from './meter.ts';

/** The parts of a request that metering needs. */
export type Call = Pick<RequestContext, 'scope' | 'requestId' | 'signal' | 'setHeader'> & {
  trace?: CallTrace | undefined;
  /** The client said `store: false`: nothing of what is said is kept. */
  isPrivate?: boolean | undefined;
};

/** The same call, of which no content is kept. */
export function asPrivate<C extends Call>(call: C): Call {
  const { scope, requestId, signal, trace } = call;
  return { scope, requestId, signal, trace, setHeader: (name, value) => call.setHeader(name, value), isPrivate: true };
}

export type Accounts = { now: Clock; meter?: Meter | undefined; onUsage?: ((record: UsageRecord) => void) | undefined };

export type RunRequest = {
  kind: UsageKind;
  model: string;
  /** The name that the request gave to the model, where it is another one. */
  asked?: string;
  estimatedTokens: number;
  /** What the budget holds back until the request ends; by default the estimate. */
  heldTokens?: number;
  isPart?: boolean;
};

/** One admitted request. Its record has the sum of all attempts at it, also of those whose answer was not used. */
export type Run = {
  startedAt: number;
  /** Collects what is said; undefined where nobody keeps it. */
  readonly content: CallContent | undefined;
  /** The id of the answer, once it has one. */
  responseId: string | undefined;
  /** What guardrails found. */
  verdict: string | undefined;
  /** Adds what one attempt used. */
  add(usage: TokenUsage): void;
  /** Before each further attempt: throws when the budget is spent, the attempts so far included. */
  admit(): void | Promise<void>;
  /** The first part of a stream is there. Only the first call counts. */
  answers(): void;
  /** Ends the request. Only the first call counts. */
  settle(status: number): void;
  /** The same for a request that failed or whose client disconnected. Returns the error to throw. */
  fail(error: unknown): unknown;
};

const NO_USAGE: TokenUsage = { promptTokens: 0, completionTokens: 0 };

/** Synchronous when the meter decides from memory, which is nearly always. */
export function startRun(accounts: Accounts, call: Call, request: RunRequest): Run | Promise<Run> {
  const startedAt = accounts.now();
  try {
    checkAllowed(call.scope, request);
    const reservation = accounts.meter?.reserve(call.scope, request);
    return reservation instanceof Promise
      ? reservation.then(
          (admitted) => new MeteredRun(accounts, call, request, startedAt, admitted),
          (error: unknown) => refuse(accounts, call, request, startedAt, error),
        )
      : new MeteredRun(accounts, call, request, startedAt, reservation);
  } catch (error) {
    return refuse(accounts, call, request, startedAt, error);
  }
}

/** What a request brings with it, such as the check of a guardrail, is not the key's choice. */
const OWN_MODELS: readonly UsageKind[] = ['moderation', 'reranking'];

/** A key may be limited to models, by their ids or by other names for them. */
function checkAllowed(
  { allowed_models: allowed }: Call['scope'],
  { kind, model, asked = model, isPart }: RunRequest,
): void {
  if (!allowed || isPart || OWN_MODELS.includes(kind)) return;
  if (!allowed.includes(model) && !allowed.includes(asked)) throw meteringErrors.model_not_allowed(asked);
}

/** What a limit or a budget refuses is shown among the requests, but not in the ledger. */
function refuse(accounts: Accounts, call: Call, request: RunRequest, startedAt: number, error: unknown): never {
  if (error instanceof ApiError)
    accounts.meter?.refused?.({
      scope: call.scope,
      requestId: call.requestId,
      kind: request.kind,
      model: request.model,
      usage: NO_USAGE,
      status: error.status,
      latencyMs: accounts.now() - startedAt,
      startedAt,
      asked: request.asked ?? request.model,
      firstTokenMs: undefined,
      errorCode: error.code ?? undefined,
      trace: call.trace,
      responseId: undefined,
      verdict: undefined,
      content: undefined,
    });
  throw error;
}

class MeteredRun implements Run {
  readonly startedAt: number;
  readonly content: CallContent | undefined;
  responseId: string | undefined;
  verdict: string | undefined;
  readonly #accounts: Accounts;
  readonly #call: Call;
  readonly #kind: UsageKind;
  readonly #model: string;
  readonly #reservation: MeterReservation | undefined;
  readonly #asked: string;
  #usage = NO_USAGE;
  #isSettled = false;
  #firstTokenMs: number | undefined;
  #errorCode: string | undefined;

  constructor(
    accounts: Accounts,
    call: Call,
    { kind, model, asked = model }: RunRequest,
    startedAt: number,
    reservation: MeterReservation | undefined,
  ) {
    this.startedAt = startedAt;
    this.#accounts = accounts;
    this.#call = call;
    this.#kind = kind;
    this.#model = model;
    this.#asked = asked;
    this.#reservation = reservation;
    const isKept = !call.isPrivate && accounts.meter?.keepsContent?.(call);
    this.content = isKept ? { system: [], tools: [], input: [], output: [] } : undefined;
    this.responseId = undefined;
    this.verdict = undefined;
    const headers = reservation?.headers;
    for (const name in headers) call.setHeader(name, headers[name] as string);
  }

  // Nearly every request has one attempt, whose figures are kept as they are.
  add(usage: TokenUsage): void {
    this.#usage = this.#usage === NO_USAGE ? usage : sumOf(this.#usage, usage);
  }

  admit(): void | Promise<void> {
    const part = { model: this.#model, estimatedTokens: 0, isPart: true, unrecorded: this.#usage };
    const admitted = this.#accounts.meter?.reserve(this.#call.scope, part);
    return admitted instanceof Promise ? admitted.then(() => undefined) : undefined;
  }

  answers(): void {
    this.#firstTokenMs ??= this.#accounts.now() - this.startedAt;
  }

  settle(status: number): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { scope, requestId, trace } = this.#call;
    const { now, onUsage } = this.#accounts;
    const record: UsageRecord = {
      scope,
      requestId,
      kind: this.#kind,
      model: this.#model,
      usage: this.#usage,
      status,
      latencyMs: now() - this.startedAt,
      startedAt: this.startedAt,
      asked: this.#asked,
      firstTokenMs: this.#firstTokenMs,
      errorCode: this.#errorCode,
      trace,
      responseId: this.responseId,
      verdict: this.verdict,
      content: this.content,
    };
    this.#reservation?.settle(record);
    onUsage?.(record);
  }

  fail(error: unknown): unknown {
    if (this.#call.signal.aborted) {
      const disconnected = meteringErrors.client_disconnected();
      this.#errorCode = disconnected.code ?? undefined;
      this.settle(disconnected.status);
      return disconnected;
    }
    const status = error instanceof ApiError ? error.status : error instanceof ValidationFailed ? 422 : 500;
    this.#errorCode = error instanceof ApiError ? (error.code ?? undefined) : undefined;
    this.settle(status);
    return error;
  }
}

function sumOf(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedTokens: (a.cachedTokens ?? 0) + (b.cachedTokens ?? 0),
    reasoningTokens: (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0),
  };
}
