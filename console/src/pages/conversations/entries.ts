import type { Entry } from '../../../../src/conversations/schema/entries.ts';
import type { StreamEvent } from '../../../../src/conversations/schema/responses.ts';

export type { Entry, StreamEvent };

export type EntryOf<Type extends Entry['type']> = Extract<Entry, { type: Type }>;
/** A part of a message: text, reasoning, image, file or source. */
export type Chunk = Exclude<EntryOf<'message.output'>['content'], string>[number];

export function chunksOf(content: string | readonly Chunk[]): readonly Chunk[] {
  return typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content;
}
