import type { ConversationUsageInfo, Entry, EntryOf } from '../../conversations/index.ts';
import type { AnyTool } from '../schema/openai-responses.ts';
import type { Annotation } from '../schema/response-items.ts';
import type { OutputItem, ResponsesUsage } from '../schema/responses.ts';
import { callItem } from './build-response.ts';
import type { NamedTools } from './name-tools.ts';

/** What a run wrote, as items of a response. */
export function toItems(entries: readonly Entry[], named: NamedTools, labels: readonly ServerLabel[]): OutputItem[] {
  return entries.flatMap((entry): OutputItem[] => {
    switch (entry.type) {
      case 'message.output':
        return toMessage(entry);
      case 'function.call':
        return [toCall(entry, named)];
      case 'tool.execution':
        return [toolItem(entry.id, entry.name, entry.arguments, entry.info ?? {}, labels)];
      default:
        return [];
    }
  });
}

export type InputItem = { type: string; id: string } & Record<string, unknown>;

/** What a client sent, as items. */
export function toInputItems(
  entries: readonly Entry[],
  named: NamedTools,
  labels: readonly ServerLabel[],
): InputItem[] {
  return entries.flatMap((entry): InputItem[] => {
    if (entry.type === 'message.input') {
      const { id, role } = entry;
      return [{ type: 'message', id, role, status: 'completed', content: inputContent(entry) }];
    }
    if (entry.type === 'function.result') {
      const { id, tool_call_id, result } = entry;
      const call_id = `call_${tool_call_id}`;
      return [{ type: 'function_call_output', id, call_id, output: result, status: 'completed' }];
    }
    return toItems([entry], named, labels) as InputItem[];
  });
}

function inputContent({ content }: EntryOf<'message.input'>) {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }];
  return content.flatMap((chunk): Record<string, unknown>[] => {
    if (chunk.type === 'text') return [{ type: 'input_text', text: chunk.text }];
    if (chunk.type === 'image_url') {
      const { image_url } = chunk;
      const url = typeof image_url === 'string' ? image_url : image_url.url;
      return [{ type: 'input_image', image_url: url, detail: 'auto' }];
    }
    if (chunk.type === 'document_url')
      return [{ type: 'input_file', file_url: chunk.document_url, filename: chunk.document_name ?? null }];
    return [];
  });
}

export function toCall(entry: EntryOf<'function.call'>, named: NamedTools) {
  const given = typeof entry.arguments === 'string' ? entry.arguments : JSON.stringify(entry.arguments);
  return callItem(entry.id, { id: entry.tool_call_id, name: entry.name, arguments: given }, named);
}

function toMessage({ id, content }: EntryOf<'message.output'>): OutputItem[] {
  const chunks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  let thought = '';
  let text = '';
  const annotations: Annotation[] = [];
  for (const chunk of chunks) {
    if (chunk.type === 'text') text += chunk.text;
    else if (chunk.type === 'thinking')
      thought += chunk.thinking.map((part) => (part.type === 'text' ? part.text : '')).join('');
    else annotations.push(...annotate(chunk, text.length));
  }
  const items: OutputItem[] = [];
  if (thought !== '') items.push(reasoning(reasoningId(id), thought));
  items.push(message(id, text, annotations, 'completed'));
  return items;
}

export const reasoningId = (id: string) => id.replace(/^msg_/, 'rs_');
export const messageId = (id: string) => id.replace(/^rs_/, 'msg_');

export function reasoning(id: string, text: string): OutputItem {
  return { type: 'reasoning', id, summary: [], content: [{ type: 'reasoning_text', text }], status: 'completed' };
}

export function message(id: string, text: string, annotations: Annotation[], status: 'completed' | 'in_progress') {
  return {
    type: 'message' as const,
    id,
    role: 'assistant' as const,
    status,
    content: [{ type: 'output_text' as const, text, annotations, logprobs: [] }],
  };
}

type Chunk = Exclude<EntryOf<'message.output'>['content'], string>[number];

/** Sources and files that came with a message; they belong to its whole text. */
export function annotate(chunk: Chunk, end: number): Annotation[] {
  if (chunk.type === 'tool_reference' && chunk.tool === 'document_library' && chunk.url)
    // The address of a document ends with its id.
    return [{ type: 'file_citation', file_id: chunk.url.split('/').at(-1) ?? '', filename: chunk.title, index: end }];
  if (chunk.type === 'tool_reference' && chunk.url)
    return [{ type: 'url_citation', start_index: 0, end_index: end, title: chunk.title, url: chunk.url }];
  if (chunk.type === 'tool_file') {
    const { file_id, file_name } = chunk;
    const filename = file_name ?? file_id;
    const place = { start_index: 0, end_index: end };
    return [
      {
        type: 'container_file_citation',
        container_id: 'auto',
        file_id: `file-${file_id.replaceAll('-', '')}`,
        filename,
        ...place,
      },
    ];
  }
  return [];
}

/** A tool that the server ran, or runs while there is no `info`. */
export function toolItem(
  id: string,
  name: string,
  given: string,
  info: Record<string, unknown> | undefined,
  labels: readonly ServerLabel[],
): OutputItem {
  const read = readObject(given);
  const failure = typeof info?.error === 'string' ? info.error : null;
  const status = info === undefined ? 'in_progress' : failure === null ? 'completed' : 'failed';
  if (name === 'web_search' || name === 'web_search_premium') {
    const query = String(read.query ?? '');
    return { type: 'web_search_call', id, status, action: { type: 'search', query, queries: [query] } };
  }
  if (name === 'document_library')
    return { type: 'file_search_call', id, status, queries: [String(read.query ?? '')], results: null };
  if (name === 'code_interpreter') {
    const logs = typeof info?.code_output === 'string' ? info.code_output : failure;
    const outputs = logs === null ? [] : [{ type: 'logs', logs }];
    return { type: 'code_interpreter_call', id, status, code: String(read.code ?? ''), container_id: 'auto', outputs };
  }
  if (name === 'image_generation') return { type: 'image_generation_call', id, status, result: null };
  return {
    type: 'mcp_call',
    id,
    name: typeof info?.tool === 'string' ? info.tool : name,
    server_label: labelOf(name, info?.connector_id, labels),
    arguments: given,
    status,
    output: failure === null ? outputOf(info) : null,
    error: failure,
    approval_request_id: null,
  };
}

/** A connector as the client called it. */
export type ServerLabel = { label: string; connector: string; tools: readonly string[] | null };

export function labelsOf(tools: readonly unknown[]): ServerLabel[] {
  return (tools as readonly AnyTool[]).flatMap((tool) => {
    if (tool.type !== 'mcp') return [];
    const { server_label: label, connector_id, allowed_tools: allowed } = tool;
    const names = Array.isArray(allowed) ? allowed : allowed?.tool_names;
    return [{ label, connector: connector_id ?? label, tools: names ?? null }];
  });
}

/** A call that has not ended does not tell its connector yet. */
function labelOf(tool: string, connector: unknown, labels: readonly ServerLabel[]): string {
  const found =
    connector === undefined
      ? (labels.find(({ tools }) => tools?.includes(tool)) ?? labels.find(({ tools }) => tools === null) ?? labels[0])
      : labels.find((one) => one.connector === connector);
  return found?.label ?? (typeof connector === 'string' ? connector : tool);
}

function outputOf(info: Record<string, unknown> | undefined): string | null {
  if (typeof info?.output === 'string') return info.output;
  if (!Array.isArray(info?.content)) return null;
  return info.content
    .flatMap((part: Record<string, unknown>) => {
      if (part.type === 'text') return [String(part.text)];
      return part.type === 'link' ? [String(part.url)] : [`file-${String(part.file_id).replaceAll('-', '')}`];
    })
    .join('\n');
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function toResponsesUsage({ prompt_tokens, completion_tokens }: ConversationUsageInfo): ResponsesUsage {
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cache_write_tokens: 0, cached_tokens: 0 },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt_tokens + completion_tokens,
  };
}
