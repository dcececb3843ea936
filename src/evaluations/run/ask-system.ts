import type { InnerAnswer, Scope } from '../../kit/http/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import type { EvaluationPorts } from '../ports.ts';
import { type RecordInput, textOf } from '../read-record.ts';
import type { System } from '../schema/systems.ts';

const ATTEMPTS_MAX = 6;
const WAIT_MS_MAX = 60_000;
/** The request may succeed later. */
export const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

export type Spending = { inputTokens: number; outputTokens: number; costMicros: number };
export type Unit = { runId: string; recordId: string; position: number };
export type Answer = {
  message: Record<string, unknown> | null;
  error: string | null;
  metadata: Record<string, unknown>;
};

export type UnitContext = {
  ports: Pick<
    EvaluationPorts,
    'callEndpoint' | 'enter' | 'wait' | 'prices' | 'judges' | 'requestMs' | 'now' | 'models'
  >;
  /** The scope of whoever started the run, as it is now; throws when it is gone. */
  scope: () => Promise<Scope>;
  spending: Spending;
  signal: AbortSignal;
};

/** One answer of the system to a record; a refusal is its result and no failure of the run. */
export async function askSystem(context: UnitContext, system: System, input: RecordInput, unit: Unit): Promise<Answer> {
  if (system.kind === 'recorded')
    return input.recorded
      ? { message: input.recorded, error: null, metadata: {} }
      : refused('The record holds no answer: its last message is not of the assistant.');
  if (input.messages.length === 0) return refused('The record has no messages in its payload.');
  const endpoint = system.kind === 'agent' ? '/v1/agents/completions' : '/v1/chat/completions';
  const { variables } = input.properties;
  const body = {
    ...system.request,
    messages: input.messages,
    ...(variables === undefined ? {} : { metadata: { variables } }),
  };
  const startedAt = context.ports.now();
  const model = String(system.params.model ?? system.name);
  const id = `eval-${unit.recordId}-${unit.position}`;
  const answer = await callWithRetries(context, model, (scope, signal) =>
    context.ports.callEndpoint(endpoint, { scope, body, requestId: id, idempotencyKey: id, signal }),
  );
  if (answer.status >= 400) return refused(messageOf(answer.body, answer.status));
  const { choices, usage, model: served } = answer.body as Completion;
  spend(context, served ?? model, usage);
  const metadata = {
    model: served ?? model,
    latency_ms: Math.round(context.ports.now() - startedAt),
    input_tokens: usage?.prompt_tokens ?? 0,
    output_tokens: usage?.completion_tokens ?? 0,
    finish_reason: choices?.[0]?.finish_reason ?? null,
  };
  return { message: choices?.[0]?.message ?? { role: 'assistant', content: '' }, error: null, metadata };
}

type Usage = { prompt_tokens?: number | undefined; completion_tokens?: number | undefined };
type Completion = {
  model?: string;
  usage?: Usage;
  choices?: { message?: Record<string, unknown>; finish_reason?: string }[];
};

const refused = (error: string): Answer => ({ message: null, error, metadata: {} });

export function spend({ ports, spending }: UnitContext, model: string, usage: Usage | undefined): void {
  const [input, output] = [usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0];
  const price = ports.prices(model);
  spending.inputTokens += input;
  spending.outputTokens += output;
  if (price) spending.costMicros += Math.ceil(input * price.prompt + output * price.completion);
}

/** In the tenant's turn, within its time; the authority is read for each attempt. */
export async function callWithRetries(
  { ports, scope, signal }: UnitContext,
  model: string,
  call: (scope: Scope, signal: AbortSignal) => Promise<InnerAnswer>,
): Promise<InnerAnswer> {
  for (let attempt = 1; ; attempt++) {
    const live = { ...(await scope()), isBackground: true };
    const leave = await ports.enter(tenantOf(live), model, signal);
    const late = AbortSignal.timeout(ports.requestMs);
    const result = await call(live, AbortSignal.any([signal, late]))
      .catch((error: unknown): InnerAnswer => {
        signal.throwIfAborted();
        if (!late.aborted) throw error;
        return { status: 408, body: { message: `The request took longer than ${ports.requestMs / 1000} seconds.` } };
      })
      .finally(leave);
    if (!RETRIED_STATUSES.has(result.status) || attempt === ATTEMPTS_MAX) return result;
    const waitMs = result.retryAfterSeconds === undefined ? 100 * 2 ** attempt : result.retryAfterSeconds * 1000;
    await ports.wait(Math.min(waitMs, WAIT_MS_MAX), signal);
  }
}

function messageOf(body: unknown, status: number): string {
  const given = (body ?? {}) as { message?: unknown; detail?: unknown };
  const [first] = Array.isArray(given.detail) ? given.detail : [];
  if (first) return `${(first.loc ?? []).join('.')}: ${first.msg}`;
  const text = given.message ?? given.detail;
  return typeof text === 'string' ? text : `The request failed with status ${status}: ${textOf(body)}`;
}
