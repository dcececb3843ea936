import type { Scope } from '../../kit/http/index.ts';
import type { Payer, TokenUsage, UsageKind } from '../schema.ts';
import type { SpanPlace } from '../span-place.ts';
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
  /** The id of the answer. */
  responseId: string | undefined;
  /** What guardrails found, if they were asked. */
  verdict: string | undefined;
  /** Only where the workspace keeps it. */
  content: CallContent | undefined;
};

/** A part of a message, as OpenTelemetry's GenAI conventions have it. */
export type ContentPart = { type: string } & Record<string, unknown>;
export type ContentMessage = { role: string; parts: ContentPart[]; finish_reason?: string };

/** What was said. */
export type CallContent = {
  system: ContentPart[];
  tools: Record<string, unknown>[];
  input: ContentMessage[];
  output: ContentMessage[];
};

/** Where a request belongs: known to whoever made it, and of no use for limits. */
export type CallTrace = {
  /** The W3C header, if the client sent one. */
  traceparent?: string | undefined;
  conversationId?: string | undefined;
  agentId?: string | undefined;
  agentName?: string | undefined;
  agentVersion?: number | undefined;
  /** The parent in `traceparent` is a span of this server. */
  isWithin?: boolean | undefined;
};

/** Work that is no request to a model: a turn of a conversation, a tool, a workflow. Times are in milliseconds. */
export type WorkSpan = {
  scope: Payer;
  place: SpanPlace;
  name: string;
  operation: string;
  startedAt: number;
  endedAt: number;
  status: number;
  errorType?: string | undefined;
  errorMessage?: string | undefined;
  requestId?: string | undefined;
  conversationId?: string | undefined;
  agent?: { id: string; name: string; version: number } | undefined;
  workflowName?: string | undefined;
  tool?: { name: string; type: string; callId: string } | undefined;
  model?: string | undefined;
  attributes?: Record<string, string> | undefined;
  /** What a tool was given and what it returned; kept only where the workspace keeps contents. */
  content?: { arguments: string; result: string } | undefined;
};

/** Takes spans of other rooms: synchronous, and never in the way. */
export type RecordSpan = (span: WorkSpan) => void;

export type MeterReservation = {
  /** Headers about the limits and what is left of them. */
  headers?: Record<string, string>;
  settle(record: UsageRecord): void;
};

/** The interface of limits and ledger for other rooms. `reserve` throws 429 when a limit is used up. */
export type Meter = {
  reserve(scope: Scope, request: ReserveRequest): MeterReservation | Promise<MeterReservation>;
  /** Whether what is said in this request is kept. */
  keepsContent?(call: { scope: Scope; requestId: string }): boolean;
  /** A request that was refused before it was admitted; it is not in the ledger. */
  refused?(record: UsageRecord): void;
};

/** What else learns of requests: each record as it is settled, and those that limits refused. */
export type MeterWatch = Pick<Meter, 'keepsContent' | 'refused'> & {
  record(record: UsageRecord, costMicros: number): void;
};

export function createMeter(metering: Pick<Metering, 'reserve' | 'settle' | 'record'>, watch?: MeterWatch): Meter {
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
      watch?.record(record, costMicros);
    },
  });
  return {
    reserve(scope, request) {
      const reservation = metering.reserve(scope, request);
      return reservation instanceof Promise ? reservation.then(wrap) : wrap(reservation);
    },
    ...(watch?.keepsContent && { keepsContent: watch.keepsContent }),
    ...(watch?.refused && { refused: watch.refused }),
  };
}
