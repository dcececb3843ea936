import type { Json } from '../../packages/workflows/src/protocol.ts';
import { checkInput, closed } from './check-input.ts';
import { workflowErrors } from './errors.ts';
import { checkPayload } from './payloads/limits.ts';
import { type Invocation, NetworkEncodedInput } from './schema/control.ts';
import type { HandlerDefinition, WorkflowCodeDefinition } from './schema/definitions.ts';

export type HandlerKind = 'signal' | 'query' | 'update';

const LISTS = { signal: 'signals', query: 'queries', update: 'updates' } as const;
const AT = ['body', 'input'];

/** Prefix of built-in handlers, which every workflow has and none declares. */
const INTERNAL = '__';

/** Validates the input of a handler call and returns it. The definitions are tried in order. */
export function parseInvocation(
  kind: HandlerKind,
  { name, input }: Invocation,
  definitions: readonly WorkflowCodeDefinition[],
): Json {
  const value = decoded(input ?? {});
  checkPayload(value, AT);
  if (name.startsWith(INTERNAL)) return value;
  const handlers = definitions.map((definition): HandlerDefinition[] => definition[LISTS[kind]]);
  const handler = handlers.flat().find((candidate) => candidate.name === name);
  if (!handler) {
    const known = (handlers[0] ?? []).map((candidate) => candidate.name);
    const choice = known.length > 0 ? `It has ${known.join(', ')}.` : 'It has none.';
    throw workflowErrors.handler_unknown(['body', 'name'], `This workflow has no ${kind} '${name}'. ${choice}`, name);
  }
  checkInput(closed(handler.input_schema), value, AT);
  return value;
}

/** Official clients may send the input as JSON in base64. */
function decoded(input: NonNullable<Invocation['input']>): Json {
  const encoded = NetworkEncodedInput.safeParse(input).data;
  if (!encoded) return input as Json;
  if (encoded.empty) return {};
  if (encoded.encoding_options.length > 0)
    throw workflowErrors.input_encoding_not_supported(
      [...AT, 'encoding_options'],
      'This server stores large and secret payloads itself. Send the input as plain JSON.',
      encoded.encoding_options,
    );
  try {
    return JSON.parse(Buffer.from(encoded.b64payload, 'base64').toString()) as Json;
  } catch {
    const msg = 'This must be JSON text in base64.';
    throw workflowErrors.input_encoding_not_supported([...AT, 'b64payload'], msg, encoded.b64payload);
  }
}
