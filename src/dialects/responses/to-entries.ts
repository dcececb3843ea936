import type { InputEntry, Settings, StoredEntry } from '../../conversations/index.ts';
import { toCallId } from '../call-ids.ts';
import { dialectErrors } from '../errors.ts';
import type { AnyTool, OpenAiResponseRequest } from '../schema/openai-responses.ts';
import type { InputContent, ServerToolItem, StoredInputItem } from '../schema/response-items.ts';
import type { FunctionTool, NamespaceTool } from '../schema/responses.ts';
import { findFunction, modelNameOf, type NamedTools, nameTools } from './name-tools.ts';
import { instructionsFor, toDocument, toFormat } from './to-messages.ts';

const TEMPERATURE_MAX = 1.5;

type ModelSettings = Extract<Settings, { kind: 'model' }>;
export type StoredInput = {
  entries: InputEntry[] /** What the developer says between the messages. */;
  system: string;
};

/** Items as entries of a conversation, which has instructions instead of messages of the developer. */
export function toEntries(input: string | readonly StoredInputItem[], known: ReferredEntries): StoredInput {
  const stored: StoredInput = { entries: [], system: '' };
  if (typeof input === 'string') {
    stored.entries.push({ object: 'entry', type: 'message.input', role: 'user', content: input, prefix: false });
    return stored;
  }
  for (const item of input) {
    if (item.type === 'reasoning' || item.type === 'mcp_list_tools') continue;
    if (item.type === 'item_reference') {
      const referred = known.get(item.id);
      if (referred) stored.entries.push(referred);
      continue;
    }
    if (item.type === 'function_call')
      stored.entries.push({
        object: 'entry',
        type: 'function.call',
        tool_call_id: toCallId(item.call_id),
        name: modelNameOf(item.name, item.namespace),
        arguments: item.arguments || '{}',
      });
    else if (item.type === 'function_call_output')
      stored.entries.push({
        object: 'entry',
        type: 'function.result',
        tool_call_id: toCallId(item.call_id),
        result: typeof item.output === 'string' ? item.output : textOf(item.output, 'the output of a function'),
      });
    else if (item.type !== 'message') stored.entries.push(toExecution(item));
    else if (item.role === 'assistant') {
      const content =
        typeof item.content === 'string'
          ? item.content
          : item.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
      if (content !== '') stored.entries.push({ object: 'entry', type: 'message.output', role: 'assistant', content });
    } else if (item.role === 'user')
      stored.entries.push({
        object: 'entry',
        type: 'message.input',
        role: 'user',
        content: typeof item.content === 'string' ? item.content : item.content.map(toChunk),
        prefix: false,
      });
    else {
      const said = typeof item.content === 'string' ? item.content : textOf(item.content, `a ${item.role} message`);
      stored.system = [stored.system, said].filter(Boolean).join('\n\n');
    }
  }
  return stored;
}

/** What references stand for; null is a thought, which is not sent to models again. */
export type ReferredEntries = ReadonlyMap<string, InputEntry | null>;

/** A tool that the server ran, as the model will read it again. */
function toExecution(item: Exclude<ServerToolItem, { type: 'mcp_list_tools' }>): InputEntry {
  const ran = (name: string, given: unknown, info: Record<string, unknown>): InputEntry => ({
    object: 'entry',
    type: 'tool.execution',
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
    info,
  });
  switch (item.type) {
    case 'web_search_call':
      return ran('web_search', { query: item.action?.query ?? '' }, { ...item.action });
    case 'file_search_call':
      return ran('document_library', { query: item.queries?.[0] ?? '' }, {});
    case 'code_interpreter_call':
      return ran('code_interpreter', { code: item.code ?? '' }, { code_output: logsOf(item.outputs) });
    case 'mcp_call':
      return ran(item.name, item.arguments || '{}', {
        output: item.output ?? '',
        ...(item.error ? { error: item.error } : {}),
      });
    case 'image_generation_call':
      return ran('image_generation', {}, {});
  }
}

function logsOf(outputs: readonly unknown[] | null | undefined): string {
  return (outputs ?? []).map((output) => (output as { logs?: unknown } | null)?.logs ?? '').join('');
}

/** An earlier entry as an input; the model reads the result of a tool as it did then. */
export function toReferred({ entry, memo }: StoredEntry): InputEntry | null {
  const { id: _id, created_at: _at, ...rest } = entry;
  if (rest.type !== 'tool.execution' || !memo?.call) return rest as InputEntry;
  return { ...rest, info: { ...rest.info, output: memo.call.result } };
}

type Chunk = Exclude<Extract<InputEntry, { type: 'message.input' }>['content'], string>[number];

function toChunk(part: InputContent): Chunk {
  if (part.type === 'input_text') return { type: 'text', text: part.text };
  if (part.type === 'input_image') {
    if (!part.image_url)
      throw dialectErrors.input_item_unsupported('input_image without image_url', 'Send an address or a data: URL.');
    return { type: 'image_url', image_url: part.image_url };
  }
  if (part.file_id)
    throw dialectErrors.input_item_unsupported(
      'input_file with file_id in a stored response',
      'Send file_url or file_data, or store: false.',
    );
  return toDocument(null, part.file_url ?? part.file_data, part.filename) as Chunk;
}

function textOf(parts: readonly InputContent[], where: string): string {
  return parts
    .map((part) => {
      if (part.type === 'input_text') return part.text;
      throw dialectErrors.input_item_unsupported(`${part.type} in ${where}`, 'Send its content as text.');
    })
    .join('');
}

/** Whether a tool is the client's to run. */
export function isOfClient(tool: AnyTool): tool is FunctionTool | NamespaceTool {
  return tool.type === 'function' || tool.type === 'namespace';
}

/** The settings of the conversation from this response on; `system` is what the developer said so far. */
export function toSettings(body: OpenAiResponseRequest, system: string): { settings: Settings; named: NamedTools } {
  const common = { name: null, description: null, guardrails: null };
  const named = nameTools((body.tools ?? []).filter(isOfClient));
  if (body.model.startsWith('ag_')) {
    for (const field of ['instructions', 'tools', 'temperature', 'top_p', 'text', 'tool_choice', 'reasoning'] as const)
      if (body[field] && (!Array.isArray(body[field]) || body[field].length > 0))
        throw dialectErrors.option_unsupported(field, 'an agent in a stored response has its own.');
    return { settings: { kind: 'agent', agent_id: body.model, agent_version: null, ...common }, named };
  }
  const instructions = [instructionsFor(body.instructions, body.text?.verbosity), system].filter(Boolean).join('\n\n');
  const settings: ModelSettings = {
    kind: 'model',
    model: body.model,
    instructions: instructions || null,
    tools: [...(named.tools as ModelSettings['tools']), ...(body.tools ?? []).flatMap(toServerTool)],
    completion_args: toArguments(body),
    ...common,
  };
  // A conversation cannot name one function, so it gets that one and must call it.
  if (typeof body.tool_choice === 'object' && body.tool_choice !== null) {
    const chosen = findFunction(named, body.tool_choice.name);
    settings.tools = settings.tools.filter((tool) => tool.type === 'function' && tool.function.name === chosen);
    settings.completion_args.tool_choice = 'required';
    if (settings.tools.length === 0)
      throw dialectErrors.option_unsupported('tool_choice', `there is no function '${body.tool_choice.name}'.`);
  }
  return { settings, named };
}

function toArguments(body: OpenAiResponseRequest): ModelSettings['completion_args'] {
  if ((body.temperature ?? 0) > TEMPERATURE_MAX)
    throw dialectErrors.option_unsupported('temperature', `stored responses take at most ${TEMPERATURE_MAX}.`);
  const args: ModelSettings['completion_args'] = {
    tool_choice: typeof body.tool_choice === 'string' ? body.tool_choice : 'auto',
  };
  if (typeof body.temperature === 'number') args.temperature = body.temperature;
  if (typeof body.top_p === 'number') args.top_p = body.top_p;
  if (typeof body.max_output_tokens === 'number') args.max_tokens = body.max_output_tokens;
  if (body.text?.format) args.response_format = toFormat(body.text.format);
  if (body.reasoning?.effort) args.reasoning_effort = body.reasoning.effort;
  return args;
}

/** The tools that the server runs. */
function toServerTool(tool: AnyTool): ModelSettings['tools'] {
  switch (tool.type) {
    case 'function':
    case 'namespace':
      return [];
    case 'file_search':
      return [{ type: 'document_library', library_ids: tool.vector_store_ids }];
    case 'code_interpreter':
    case 'image_generation':
      return [{ type: tool.type }];
    case 'mcp': {
      const { allowed_tools: allowed, authorization } = tool;
      const include = Array.isArray(allowed) ? allowed : allowed?.tool_names;
      return [
        {
          type: 'connector',
          connector_id: tool.connector_id ?? tool.server_label,
          ...(authorization && { authorization: { type: 'oauth2-token' as const, value: authorization } }),
          ...(include && { tool_configuration: { include } }),
        },
      ];
    }
    default:
      return [{ type: 'web_search' }];
  }
}
