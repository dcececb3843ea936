import type { Message, ToolCall } from '../../chat/index.ts';
import { badRequest } from '../../kit/http/index.ts';
import type { Entry, EntryOf } from '../schema/entries.ts';
import type { Noted } from '../schema/memo.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type ToolMessage = Extract<Message, { role: 'tool' }>;

/** Said in place of an answer that never came, because no template lets a user speak right after a tool. */
const INTERRUPTED = 'The answer was interrupted.';

/**
 * The entries as the messages of a chat. What an assistant said and the calls it made in the same breath are one message;
 * the results follow it.
 */
export function toMessages(instructions: string | null, entries: readonly Noted[]): Message[] {
  const messages: Message[] = instructions ? [{ role: 'system', content: instructions }] : [];
  /** Calls that were shown to the client before the server ran them; they are not made a second time. */
  const shown = new Set<string>();
  let breath: { said: AssistantMessage; turn: number | undefined; results: ToolMessage[] } | undefined;

  function endBreath(): void {
    if (!breath) return;
    messages.push(breath.said, ...breath.results);
    breath = undefined;
  }

  function call(id: string, name: string, given: string | Record<string, unknown>, turn: number | undefined) {
    const made: ToolCall = { id, type: 'function', index: 0, function: { name, arguments: given } };
    if (!breath || breath.turn !== turn) {
      endBreath();
      breath = { said: { role: 'assistant', content: '', tool_calls: [], prefix: false }, turn, results: [] };
    }
    breath.said.tool_calls = [
      ...(breath.said.tool_calls ?? []),
      { ...made, index: breath.said.tool_calls?.length ?? 0 },
    ];
    return breath;
  }

  for (const { entry, memo } of entries) {
    switch (entry.type) {
      case 'message.input':
        endBreath();
        if (entry.role === 'user') {
          if (messages.at(-1)?.role === 'tool')
            messages.push({ role: 'assistant', content: INTERRUPTED, prefix: false });
          messages.push({ role: 'user', content: toContent(entry) });
        } else messages.push({ role: 'assistant', content: toContent(entry), prefix: entry.prefix });
        break;
      case 'message.output':
        endBreath();
        breath = {
          said: { role: 'assistant', content: toContent(entry), prefix: false },
          turn: memo?.turn,
          results: [],
        };
        break;
      case 'function.call':
        shown.add(entry.tool_call_id);
        call(entry.tool_call_id, entry.name, entry.arguments, memo?.turn);
        break;
      case 'function.result':
        endBreath();
        messages.push({ role: 'tool', content: entry.result, tool_call_id: entry.tool_call_id });
        break;
      case 'tool.execution': {
        const { id, name, result } = memo?.call ?? { id: idFor(entry), name: entry.name, result: resultOf(entry) };
        const told: ToolMessage = { role: 'tool', content: result, tool_call_id: id };
        if (shown.has(id)) {
          endBreath();
          messages.push(told);
        } else call(id, name, entry.arguments, memo?.turn).results.push(told);
        break;
      }
      case 'agent.handoff':
        if (memo?.call) {
          const { id, name, result } = memo.call;
          call(id, name, '{}', memo.turn).results.push({ role: 'tool', content: result, tool_call_id: id });
        }
        break;
    }
  }
  endBreath();
  return messages;
}

type Content = Exclude<Message['content'], null | undefined>;

function toContent(entry: EntryOf<'message.input' | 'message.output'>): Content {
  if (typeof entry.content === 'string') return entry.content;
  const chunks = entry.content.flatMap((chunk) => {
    // Sources and files of an earlier answer point outside; the model has seen their text as the tool's result.
    if (chunk.type === 'tool_reference') return [];
    if (chunk.type === 'tool_file')
      return [{ type: 'text' as const, text: `[file ${chunk.file_name ?? chunk.file_id}]` }];
    return [chunk];
  });
  if (chunks.length === 0) throw badRequest('A message needs content.');
  return chunks as Content;
}

// Executions that a client brought along from elsewhere have no call on record; any nine characters will do.
function idFor({ id }: Entry): string {
  return id
    .replace(/[^a-zA-Z0-9]/g, '')
    .padEnd(9, '0')
    .slice(-9);
}

function resultOf({ info }: EntryOf<'tool.execution'>): string {
  return info ? JSON.stringify(info) : '';
}
