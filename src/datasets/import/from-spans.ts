import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { GetSpan } from '../../traces/index.ts';
import type { SourcePorts } from '../ports.ts';
import type { ImportRequests } from '../schema.ts';
import { type Item, progressIn, type Source } from './source.ts';

type Mapping = ImportRequests['spans']['mapping_contract']['mappings'][number];
type Reference = ImportRequests['spans']['span_references'][number];

/** Attributes that hold what was said, which a span has only where its workspace keeps contents. */
const CONTENTS: Record<string, keyof GetSpan> = {
  'gen_ai.input.messages': 'input_messages',
  'gen_ai.output.messages': 'output_messages',
  'gen_ai.system_instructions': 'system_instructions',
  'gen_ai.tool.definitions': 'tool_definitions',
  'gen_ai.tool.call.arguments': 'tool_call_arguments',
  'gen_ai.tool.call.result': 'tool_call_result',
};

/** Attributes of spans, under the names that the mapping gives them. What a span does not have is left out and named. */
export function fromSpans(
  { traces }: Pick<SourcePorts, 'traces'>,
  { span_references: references, mapping_contract: { mappings } }: ImportRequests['spans'],
): Source {
  const fields = new Map<string, string>(
    traces.listFields('spans').flatMap(({ name, source_attribute_key: key }) => (key ? [[key, name]] : [])),
  );
  const fieldOf = (key: string) => CONTENTS[key] ?? fields.get(key);

  async function read(scope: Scope, { trace_id, span_id }: Reference): Promise<Item> {
    const span = await traces.getSpan(scope, trace_id, span_id);
    const values = mappings.map(
      ({ target_field, source_field }) => [target_field, findValue(span, source_field)] as const,
    );
    const payload = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    const missing = values.flatMap(([target, value]) => (value === undefined ? [target] : []));
    if (missing.length === values.length)
      return { skipped: `The span '${span_id}' has none of the mapped attributes; contents may not be kept.` };
    const missed = missing.length > 0 ? { missing_fields: missing } : {};
    return { payload, properties: { trace_id, span_id, ...missed }, source: 'TELEMETRY_SPAN' };
  }

  function findValue(span: GetSpan, { namespace, key }: Mapping['source_field']): unknown {
    const own = span[namespace];
    const name = namespace === 'span_attributes' ? fieldOf(key) : undefined;
    const value = Object.hasOwn(own, key) ? own[key] : name && (span as Record<string, unknown>)[name];
    return toStructure(value);
  }

  return {
    async *items(scope, from) {
      for (const reference of references.slice(from)) {
        try {
          yield await read(scope, reference);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 404) throw error;
          yield { skipped: `There is no span '${reference.span_id}' in the trace '${reference.trace_id}'.` };
        }
      }
    },
    progress: progressIn(references.length),
  };
}

/** Texts of JSON objects and lists become what they say; what is empty is missing. */
function toStructure(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.length > 0 ? value : undefined;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return undefined;
  if (!/^[[{]/.test(text)) return value;
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.length === 0 ? undefined : parsed;
  } catch {
    return value;
  }
}
