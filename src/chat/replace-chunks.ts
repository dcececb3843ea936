import type { ContentChunk } from './schema/content.ts';
import type { Message } from './schema/messages.ts';

/** The messages with other chunks in the place of some of the user's, one after the other. */
export async function replaceChunks(
  messages: readonly Message[],
  replace: (chunk: ContentChunk) => ContentChunk[] | Promise<ContentChunk[]>,
): Promise<Message[]> {
  const replaced: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'user' || !Array.isArray(message.content)) {
      replaced.push(message);
      continue;
    }
    const content: ContentChunk[] = [];
    for (const chunk of message.content) content.push(...(await replace(chunk)));
    replaced.push({ ...message, content });
  }
  return replaced;
}
