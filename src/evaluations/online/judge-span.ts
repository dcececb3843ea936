import { prepareSchema } from '../../kit/json-schema/index.ts';
import type { GetSpan } from '../../traces/index.ts';
import { textOf } from '../read-record.ts';
import { callWithRetries, type UnitContext } from '../run/ask-system.ts';
import { askJudge } from '../run/score-answer.ts';
import type { JudgeOutput } from '../schema/evaluators.ts';
import type { DetectionDefinitionV1, JudgeDefinitionV1, ModerationDefinitionV1 } from '../schema/pipelines.ts';
import type { ConfigRow } from '../store/tables.ts';

export type Finding = { value: number; label: string; explanation: string; metadata: Record<string, string> };

const CONTENT_FIELDS = [
  'input_messages',
  'output_messages',
  'system_instructions',
  'tool_call_arguments',
  'tool_call_result',
] as const;

/** What a configuration says about a span; undefined where it cannot say anything. */
export async function judgeSpan(
  context: UnitContext,
  { kind, definition, id }: Pick<ConfigRow, 'kind' | 'definition' | 'id'>,
  span: GetSpan,
): Promise<Finding | undefined> {
  if (kind === 'detection') return detect(definition as DetectionDefinitionV1, span);
  if (kind === 'moderation') return moderate(context, definition as ModerationDefinitionV1, span, id);
  return kind === 'judge' ? judge(context, definition as JudgeDefinitionV1, span, id) : undefined;
}

async function judge(
  context: UnitContext,
  definition: JudgeDefinitionV1,
  span: GetSpan,
  configId: string,
): Promise<Finding | undefined> {
  const messages = [...readMessages(span.input_messages), ...readMessages(span.output_messages)];
  if (messages.length === 0) return undefined;
  const mapped = Object.entries(definition.mapping ?? {}).map(([name, attribute]) => [
    name,
    attributeOf(span, attribute),
  ]);
  const asked = { model_name: definition.model, instructions: definition.prompt, output: outputOf(definition) };
  const conversation = { messages, properties: Object.fromEntries(mapped) };
  const score = await askJudge(context, asked, conversation, `eval-${configId}-${span.span_id}`);
  if (score.error !== null) return undefined;
  return {
    value: score.value ?? 0,
    label: score.label ?? '',
    explanation: score.rationale ?? '',
    metadata: { model: definition.model },
  };
}

function outputOf({ result_spec }: JudgeDefinitionV1): JudgeOutput {
  const option = (value: string) => ({ value, description: value });
  if (result_spec.type === 'boolean') return { type: 'CLASSIFICATION', options: ['true', 'false'].map(option) };
  if (result_spec.type === 'categorical') return { type: 'CLASSIFICATION', options: result_spec.labels.map(option) };
  const { min, max } = result_spec;
  return { type: 'REGRESSION', min, max, min_description: 'worst', max_description: 'best' };
}

/** With the linear matcher of JSON Schemas: no expression of a tenant can take long. */
function detect({ target_attributes, patterns }: DetectionDefinitionV1, span: GetSpan): Finding {
  const texts = target_attributes.map((name) => attributeOf(span, name));
  const matched = patterns.filter(({ regex }) => {
    const schema = prepareSchema({ type: 'string', pattern: regex });
    return typeof schema !== 'string' && texts.some((text) => text !== '' && schema.check(text) === 'valid');
  });
  const [first] = matched;
  return {
    value: matched.length,
    label: first?.category ?? 'none',
    explanation: matched.map(({ name }) => name).join(', '),
    metadata: first ? { confidence: first.confidence } : {},
  };
}

async function moderate(
  context: UnitContext,
  { model, target_attributes }: ModerationDefinitionV1,
  span: GetSpan,
  configId: string,
): Promise<Finding | undefined> {
  const texts = (target_attributes ?? ['output_messages'])
    .map((name) => attributeOf(span, name))
    .filter((text) => text !== '');
  if (texts.length === 0) return undefined;
  const id = `eval-${configId}-${span.span_id}`;
  const answer = await callWithRetries(context, model, (scope, signal) =>
    context.ports.callEndpoint('/v1/moderations', {
      scope,
      body: { model, input: texts },
      requestId: id,
      idempotencyKey: id,
      signal,
    }),
  );
  if (answer.status >= 400) return undefined;
  const { results } = answer.body as { results: { category_scores: Record<string, number> }[] };
  const scores = results.flatMap(({ category_scores }) => Object.entries(category_scores));
  const [label = 'none', value = 0] = scores.sort((a, b) => b[1] - a[1])[0] ?? [];
  return { value, label, explanation: '', metadata: { model } };
}

/** By our name of the field, or by the name of the attribute in OpenTelemetry's conventions. */
function attributeOf(span: GetSpan, name: string): string {
  const known = CONTENT_FIELDS.find((field) => field === name || `gen_ai.${field.replace('_', '.')}` === name);
  if (known)
    return known.endsWith('messages')
      ? readMessages(span[known])
          .map(({ content }) => textOf(content))
          .join('\n')
      : span[known];
  const own = (span as Record<string, unknown>)[name] ?? span.span_attributes[name] ?? '';
  return typeof own === 'string' || typeof own === 'number' ? String(own) : '';
}

/** Messages of the GenAI conventions have parts; others have content. */
function readMessages(text: string): Record<string, unknown>[] {
  if (text === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return [{ role: 'user', content: text }];
    return value.map(({ role = 'user', content, parts }: Record<string, unknown>) => ({
      role,
      content: textOf(content ?? parts),
    }));
  } catch {
    return [{ role: 'user', content: text }];
  }
}
