import type { ConversationUsageInfo, Entry, EntryOf } from '../../conversations/index.ts';
import type { Annotation } from '../schema/response-items.ts';
import type { OutputItem, ResponsesUsage } from '../schema/responses.ts';
import { callItem } from './build-response.ts';
import type { NamedTools } from './name-tools.ts';

/** What a run wrote, as items of a response. */
export function toItems(entries: readonly Entry[], named: NamedTools): OutputItem[] {
  return entries.flatMap((entry): OutputItem[] => {
    switch (entry.type) {
      case 'message.output':
        return toMessage(entry);
      case 'function.call':
        return [toCall(entry, named)];
      case 'tool.execution':
        return [toolItem(entry.id, entry.name, entry.arguments, 'completed', entry.info)];
      default:
        return [];
    }
  });
}

export type InputItem = { type: string; id: string } & Record<string, unknown>;

/** What a client sent, as items. */
export function toInputItems(entries: readonly Entry[], named: NamedTools): InputItem[] {
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
    return toItems([entry], named) as InputItem[];
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

/** A tool that the server ran. */
export function toolItem(
  id: string,
  name: string,
  given: string,
  status: 'completed' | 'in_progress',
  info: Record<string, unknown> = {},
): OutputItem {
  const read = readObject(given);
  if (name === 'web_search' || name === 'web_search_premium')
    return { type: 'web_search_call', id, status, action: { type: 'search', query: String(read.query ?? '') } };
  if (name === 'code_interpreter') {
    const logs = typeof info.code_output === 'string' ? info.code_output : undefined;
    const outputs = logs === undefined ? [] : [{ type: 'logs', logs }];
    return { type: 'code_interpreter_call', id, status, code: String(read.code ?? ''), container_id: 'auto', outputs };
  }
  if (name === 'image_generation') return { type: 'image_generation_call', id, status, result: null };
  const failure = typeof info.error === 'string' ? info.error : null;
  const output = typeof info.output === 'string' ? info.output : null;
  return { type: 'mcp_call', id, name, server_label: name, arguments: given, status, output, error: failure };
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
