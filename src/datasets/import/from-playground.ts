import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { SourcePorts } from '../ports.ts';
import { type ImportRequests, RECORD_BYTES_MAX } from '../schema.ts';
import { type Item, progressIn, type Source } from './source.ts';

type Message = { role: string; content: unknown };

/** The messages of the caller's conversations, each as one record. */
export function fromPlayground(
  { conversations }: Pick<SourcePorts, 'conversations'>,
  { conversation_ids: ids }: ImportRequests['playground'],
): Source {
  async function read(scope: Scope, id: string): Promise<Item> {
    const conversation = await conversations.get(scope, id);
    const messages: Message[] = [];
    const { instructions } = conversation as { instructions?: string | null };
    if (instructions) messages.push({ role: 'system', content: instructions });
    let bytes = 0;
    for await (const group of await conversations.messages(scope, id)) {
      for (const { role, content } of group) {
        bytes += JSON.stringify(content).length;
        if (bytes > RECORD_BYTES_MAX) return { skipped: `The conversation '${id}' is too large for a record.` };
        messages.push({ role, content });
      }
    }
    if (bytes === 0) return { skipped: `The conversation '${id}' has no messages.` };
    return { payload: { messages }, properties: { conversation_id: id }, source: 'PLAYGROUND' };
  }

  return {
    async *items(scope, from) {
      for (const id of ids.slice(from)) {
        try {
          yield await read(scope, id);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 404) throw error;
          yield { skipped: `You have no conversation '${id}'.` };
        }
      }
    },
    progress: progressIn(ids.length),
  };
}
