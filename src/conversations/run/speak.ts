import type { Turn } from '../../chat/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { EntryOf, OutputContentChunk } from '../schema/entries.ts';
import type { StreamEvent } from '../schema/responses.ts';

type Delta = Extract<StreamEvent, { type: 'message.output.delta' }>;
type Content = EntryOf<'message.output'>['content'];
type Call = { id: string; name: string; arguments: string };

export type Spoken = {
  /** Null when the model only called tools; the chunks then wait for its next message. */
  content: Content | null;
  calls: Call[];
  usage: { promptTokens: number; completionTokens: number };
};

type Options = {
  /** Files and sources that tools left for this message; they follow its text. */
  chunks: OutputContentChunk[];
  emit(content: Delta['content'], contentIndex: number): void;
};

/** Reads one answer of a model, shows its words as they come, and returns it whole. */
export async function speak(turn: Turn, { chunks, emit }: Options): Promise<Spoken> {
  let thinking = '';
  let text = '';
  let usage = { promptTokens: 0, completionTokens: 0 };
  const calls: Call[] = [];
  // Thoughts stand before the text, in a place of their own.
  const textIndex = () => (thinking === '' ? 0 : 1);
  for await (const batch of turn.deltas()) {
    let said = '';
    for (const delta of batch) {
      if (delta.kind === 'text') said += delta.text;
      else if (delta.kind === 'thinking' && turn.showsThinking) {
        thinking += delta.text;
        emit(thought(delta.text), 0);
      } else if (delta.kind === 'tool_call') calls.push(delta.call);
      else if (delta.kind === 'usage') usage = delta.usage;
      else if (delta.kind === 'finish' && delta.reason === 'error')
        throw new ApiError(502, 'The model ended its answer with an error. Try again.');
    }
    if (said === '') continue;
    text += said;
    emit(said, textIndex());
  }
  if (text === '' && thinking === '' && calls.length > 0) return { content: null, calls, usage };
  const said: OutputContentChunk[] = thinking === '' ? [] : [thought(thinking)];
  if (text !== '') said.push({ type: 'text', text });
  for (const [index, chunk] of chunks.entries()) emit(chunk, said.length + index);
  const isPlain = thinking === '' && chunks.length === 0;
  return { content: isPlain ? text : [...said, ...chunks], calls, usage };
}

function thought(text: string) {
  return { type: 'thinking' as const, thinking: [{ type: 'text' as const, text }], closed: true };
}
