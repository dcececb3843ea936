import { z } from 'zod';
import { uuid } from '../../kit/base/ids.ts';
import type { Line } from '../../kit/base/read-lines.ts';
import { type InnerAnswer, parseJson, type Scope } from '../../kit/http/index.ts';
import { type CallTrace, toSpanId, toTraceId, traceWithin } from '../../metering/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import { BatchRequest } from '../schema.ts';
import type { JobRow, ResultRow } from '../store.ts';
import type { Pace } from './pace.ts';

/** Calls one of the platform's own endpoints with the scope of the job. */
export type CallEndpoint = (
  endpoint: string,
  call: {
    scope: Scope;
    body: unknown;
    requestId: string;
    idempotencyKey: string;
    signal: AbortSignal;
    trace: CallTrace;
  },
) => Promise<InnerAnswer>;

const ATTEMPTS_MAX = 10;
const WAIT_MS_MAX = 60_000;
/** The request may succeed later. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/** What a line does now: waits for its turn, for the model, or until it is sent again. */
export type LineStep = { kind: 'turn' | 'model' | 'retry'; model: string };

export type LineContext = {
  job: JobRow;
  /** The caller's scope as it is now; throws when there is none any more. */
  scope: () => Scope | Promise<Scope>;
  position: number;
  callEndpoint: CallEndpoint;
  pace: Pace;
  /** The time limit of one request. */
  requestMs: number;
  /** For the job's own report of what it waits for. */
  onStep: (step: LineStep) => void;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  onFailure: (failure: unknown, position: number) => void;
  signal: AbortSignal;
};

/** Never throws for a mistake in the line or in its request: that is the result of the line. */
export async function executeLine(line: Line, context: LineContext): Promise<ResultRow> {
  const { job, position } = context;
  const parsed = parseRequest(line);
  if ('mistake' in parsed) return toRow(context, null, { error: parsed.mistake });
  const { custom_id, body } = parsed.request;
  const customId = custom_id ?? String(position);
  const { status, body: result } = await callWithRetries(withDefaults(job, body), context);
  const response = { status_code: status, body: result };
  return toRow(context, customId, status < 400 ? { response } : { response, error: messageOf(result, status) });
}

function parseRequest(line: Line): { request: BatchRequest } | { mistake: string } {
  if ('tooLong' in line) return { mistake: 'The line is longer than 16 MiB.' };
  let value: unknown;
  try {
    value = parseJson(line.bytes);
  } catch {
    return { mistake: 'The line is not valid JSON.' };
  }
  const read = BatchRequest.safeParse(value);
  if (read.success) return { request: read.data };
  return { mistake: `The line is not a request {"custom_id", "body"}: ${z.prettifyError(read.error)}` };
}

/** A request may override the job's model and agent. */
function withDefaults({ model, agent_id }: JobRow, body: Record<string, unknown>): Record<string, unknown> {
  return { ...(model === null ? {} : { model }), ...(agent_id === null ? {} : { agent_id }), ...body };
}

async function callWithRetries(body: Record<string, unknown>, context: LineContext): Promise<InnerAnswer> {
  const { job, signal } = context;
  const model = modelOf(job, body);
  const tenant = tenantOf({ ...job.caller, isBackground: true });
  if (body.stream === true) {
    return { status: 400, body: { message: 'A batch request cannot be streamed: leave out `stream`.' } };
  }
  for (let attempt = 1; ; attempt++) {
    context.onStep({ kind: 'turn', model });
    const leave = await context.pace.enter(tenant, model, signal);
    context.onStep({ kind: 'model', model });
    const result = await callInTime(body, context).finally(leave);
    if (result.failure !== undefined) context.onFailure(result.failure, context.position);
    if (result.isLate || !RETRIED_STATUSES.has(result.status) || attempt === ATTEMPTS_MAX) return result;
    context.onStep({ kind: 'retry', model });
    const waitMs = result.retryAfterSeconds === undefined ? 100 * 2 ** attempt : result.retryAfterSeconds * 1000;
    await context.wait(Math.min(waitMs, WAIT_MS_MAX), signal);
  }
}

/** A request that takes too long is ended, and that is its result. */
async function callInTime(
  body: Record<string, unknown>,
  { job, position, scope, signal, callEndpoint, requestMs }: LineContext,
): Promise<InnerAnswer & { isLate?: true }> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), requestMs);
  try {
    return await callEndpoint(job.endpoint, {
      scope: await scope(),
      body,
      requestId: `${job.id}-${position}`,
      idempotencyKey: `batch-${job.id}-${position}`,
      trace: traceWithin({ traceId: toTraceId(job.id), spanId: toSpanId(job.id) }),
      signal: AbortSignal.any([signal, late.signal]),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!late.signal.aborted) throw error;
    const message = `The request took longer than ${requestMs / 1000} seconds and was ended.`;
    return { status: 504, body: { message }, isLate: true };
  } finally {
    clearTimeout(timer);
  }
}

/** What the request waits for; requests of the same name share a server. */
function modelOf({ endpoint }: JobRow, { model, agent_id }: Record<string, unknown>): string {
  return typeof model === 'string' ? model : typeof agent_id === 'string' ? agent_id : endpoint;
}

function toRow(
  { job, position }: LineContext,
  customId: string | null,
  {
    response = null,
    error = null,
  }: { response?: { status_code: number; body: unknown } | null; error?: string | null },
): ResultRow {
  const line = {
    id: `batch-${job.id.slice(-8)}-${position}-${uuid()}`,
    custom_id: customId,
    response,
    error: error === null ? null : { message: error },
  };
  return { job_id: job.id, position, is_success: error === null, line: JSON.stringify(line) };
}

function messageOf(body: unknown, status: number): string {
  const given = (body ?? {}) as { message?: unknown; detail?: unknown; error?: { message?: unknown } };
  const { detail, message = given.error?.message } = given;
  const [first] = Array.isArray(detail) ? detail : [];
  if (first) return `${(first.loc ?? []).join('.')}: ${first.msg}`;
  if (typeof message === 'string') return message;
  return typeof detail === 'string' ? detail : `The request failed with status ${status}.`;
}
