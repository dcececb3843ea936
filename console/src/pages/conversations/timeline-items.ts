import { type Chunk, chunksOf, type Entry, type EntryOf } from './entries.ts';

type Common = { id: string; at: string | undefined };

/** One item in the view of a conversation. */
export type Item = Common &
  (
    | { kind: 'message'; role: 'user' | 'assistant'; by: string | undefined; parts: MessageParts }
    | { kind: 'tool'; name: string; input: ToolText; output: ToolText | undefined; error: string | undefined }
    | {
        kind: 'call';
        callId: string;
        name: string;
        input: ToolText;
        /** Waiting for approval, waiting for the application's result, or resolved. */
        state: 'to-confirm' | 'to-answer' | 'allowed' | 'denied' | 'answered';
        result: string | undefined;
      }
    | { kind: 'result'; callId: string; result: string }
    | { kind: 'handoff'; from: string; to: string; toId: string }
  );

export type MessageParts = {
  thoughts: string;
  text: string;
  images: string[];
  files: { id: string; name: string }[];
  documents: { url: string; name: string }[];
  sources: { title: string; url: string | undefined; description: string | undefined }[];
};

/** A text and its language, for highlighting. */
export type ToolText = { text: string; language: 'python' | 'json' | 'text' };

export function itemsOf(entries: readonly Entry[]): Item[] {
  const results = new Map<string, EntryOf<'function.result'>>();
  for (const entry of entries) if (entry.type === 'function.result') results.set(entry.tool_call_id, entry);
  const called = new Set<string>();
  const items: Item[] = [];
  for (const entry of entries) {
    if (entry.type === 'function.call') called.add(entry.tool_call_id);
    // A result is shown with its call.
    if (entry.type === 'function.result' && called.has(entry.tool_call_id)) continue;
    items.push(itemOf(entry, results));
  }
  return items;
}

function itemOf(entry: Entry, results: ReadonlyMap<string, EntryOf<'function.result'>>): Item {
  const common = { id: entry.id, at: entry.created_at || undefined };
  switch (entry.type) {
    case 'message.input':
      return { ...common, kind: 'message', role: entry.role, by: undefined, parts: partsOf(chunksOf(entry.content)) };
    case 'message.output': {
      const by = entry.agent_id ?? entry.model ?? undefined;
      return { ...common, kind: 'message', role: 'assistant', by, parts: partsOf(chunksOf(entry.content)) };
    }
    case 'tool.execution':
      return { ...common, kind: 'tool', name: entry.name, ...shownTool(entry) };
    case 'function.call': {
      const result = results.get(entry.tool_call_id)?.result;
      const { tool_call_id: callId, name } = entry;
      return {
        ...common,
        kind: 'call',
        callId,
        name,
        input: inputOf(entry.arguments),
        state: stateOf(entry, result),
        result,
      };
    }
    case 'function.result':
      return { ...common, kind: 'result', callId: entry.tool_call_id, result: entry.result };
    case 'agent.handoff':
      return {
        ...common,
        kind: 'handoff',
        from: entry.previous_agent_name,
        to: entry.next_agent_name,
        toId: entry.next_agent_id,
      };
  }
}

function stateOf({ confirmation_status }: EntryOf<'function.call'>, result: string | undefined) {
  if (confirmation_status === 'pending') return 'to-confirm';
  if (confirmation_status) return confirmation_status;
  return result === undefined ? 'to-answer' : 'answered';
}

/** Code and its output as they are; for other tools their arguments and text output. */
function shownTool({ arguments: given, info }: EntryOf<'tool.execution'>) {
  const input = inputOf(given);
  const error = textIn(info, 'error');
  if (info === undefined) return { input, output: undefined, error };
  const printed = textIn(info, 'code_output');
  if (printed !== undefined) return { input, output: { text: printed, language: 'text' } as const, error };
  const { code: _code, error: _error, ...rest } = info;
  const output = Object.keys(rest).length > 0 ? jsonOf(rest) : undefined;
  return { input, output, error };
}

/** Code is shown as code, other arguments as JSON. */
function inputOf(given: unknown): ToolText {
  const code = textIn(typeof given === 'string' ? parse(given) : given, 'code');
  return code === undefined ? jsonOf(given) : { text: code, language: 'python' };
}

function partsOf(chunks: readonly Chunk[]): MessageParts {
  const parts: MessageParts = { thoughts: '', text: '', images: [], files: [], documents: [], sources: [] };
  for (const chunk of chunks)
    switch (chunk.type) {
      case 'text':
        parts.text += chunk.text;
        break;
      case 'thinking':
        parts.thoughts += chunk.thinking.map((part) => (part.type === 'text' ? part.text : '')).join('');
        break;
      case 'image_url':
        parts.images.push(typeof chunk.image_url === 'string' ? chunk.image_url : chunk.image_url.url);
        break;
      case 'tool_file':
        parts.files.push({ id: chunk.file_id, name: chunk.file_name ?? chunk.file_id });
        break;
      case 'document_url':
        parts.documents.push({ url: chunk.document_url, name: chunk.document_name ?? chunk.document_url });
        break;
      case 'tool_reference':
        parts.sources.push({
          title: chunk.title,
          url: chunk.url ?? undefined,
          description: chunk.description ?? undefined,
        });
        break;
    }
  return parts;
}

function jsonOf(given: unknown): ToolText {
  const value = typeof given === 'string' ? parse(given) : given;
  if (value === undefined) return { text: String(given), language: 'text' };
  return { text: JSON.stringify(value, null, 2), language: 'json' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textIn(value: unknown, name: string): string | undefined {
  const found = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof found === 'string' ? found : undefined;
}
