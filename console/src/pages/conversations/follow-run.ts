import { type Chunk, chunksOf, type Entry, type StreamEvent } from './entries.ts';

/** Folds a run's stream into the entries it will store: each event adds an entry or extends one. */
export function followRun(entries: readonly Entry[], event: StreamEvent): readonly Entry[] {
  switch (event.type) {
    case 'message.output.delta':
      return change(entries, event.id, (known) => {
        const message =
          known?.type === 'message.output'
            ? known
            : ({
                object: 'entry',
                type: 'message.output',
                id: event.id,
                role: 'assistant',
                content: [],
                created_at: event.created_at ?? '',
                agent_id: event.agent_id,
                model: event.model,
              } as const);
        return { ...message, content: append(chunksOf(message.content), event.content_index, event.content) };
      });
    case 'tool.execution.started':
      return change(entries, event.id, () => ({
        object: 'entry',
        type: 'tool.execution',
        id: event.id,
        name: event.name,
        arguments: event.arguments,
        created_at: event.created_at ?? '',
        agent_id: event.agent_id,
        model: event.model,
      }));
    case 'tool.execution.delta':
      return change(entries, event.id, (known) =>
        known?.type === 'tool.execution' ? { ...known, arguments: known.arguments + event.arguments } : known,
      );
    case 'tool.execution.done':
      return change(entries, event.id, (known) =>
        known?.type === 'tool.execution'
          ? { ...known, info: event.info ?? {}, completed_at: event.created_at ?? '' }
          : known,
      );
    case 'function.call.delta':
      return change(entries, event.id, () => ({
        object: 'entry',
        type: 'function.call',
        id: event.id,
        tool_call_id: event.tool_call_id,
        name: event.name,
        arguments: event.arguments,
        confirmation_status: event.confirmation_status,
        created_at: event.created_at ?? '',
        agent_id: event.agent_id,
        model: event.model,
      }));
    case 'agent.handoff.started':
      return change(entries, event.id, () => ({
        object: 'entry',
        type: 'agent.handoff',
        id: event.id,
        created_at: event.created_at ?? '',
        previous_agent_id: event.previous_agent_id,
        previous_agent_name: event.previous_agent_name,
        next_agent_id: '',
        next_agent_name: '',
      }));
    case 'agent.handoff.done':
      return change(entries, event.id, (known) =>
        known?.type === 'agent.handoff'
          ? { ...known, next_agent_id: event.next_agent_id, next_agent_name: event.next_agent_name }
          : known,
      );
    default:
      return entries;
  }
}

/** Searches from the end: the entry is usually the last one. */
function change(
  entries: readonly Entry[],
  id: string,
  make: (known: Entry | undefined) => Entry | undefined,
): readonly Entry[] {
  const at = entries.findLastIndex((entry) => entry.id === id);
  const made = make(entries[at]);
  if (!made) return entries;
  return at < 0 ? [...entries, made] : entries.with(at, made);
}

function append(chunks: readonly Chunk[], index: number, said: string | Chunk): Chunk[] {
  const known = chunks[index];
  const chunk: Chunk = typeof said === 'string' ? { type: 'text', text: said } : said;
  if (!known) return [...chunks, chunk];
  return chunks.with(index, join(known, chunk));
}

function join(known: Chunk, more: Chunk): Chunk {
  if (known.type === 'text' && more.type === 'text') return { ...known, text: known.text + more.text };
  if (known.type === 'thinking' && more.type === 'thinking')
    return { ...known, thinking: [...known.thinking, ...more.thinking] };
  return more;
}
