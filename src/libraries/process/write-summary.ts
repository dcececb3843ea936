import type { ReadResult } from '../../engines/read/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { Call } from '../../metering/index.ts';
import type { ReadingPorts } from '../ports.ts';

/** What a model reads of a long document. */
const READ_CHARACTERS_MAX = 12_000;
const SUMMARY_CHARACTERS_MAX = 2000;
const FIRST_CHARACTERS_MAX = 400;
const SENTENCE_END = /[.!?…。！？]["'”’)]?(?=\s|$)/g;

export type Summary = { text: string | null; tokens: number };

/** By the configured model; without one, or when it cannot, the first sentences. */
export async function writeSummary(
  summarize: ReadingPorts['summarize'],
  call: Call,
  { chunks }: Pick<ReadResult, 'chunks'>,
): Promise<Summary> {
  const first = { text: firstSentences(chunks), tokens: 0 };
  if (!summarize || chunks.length === 0) return first;
  let text = '';
  for (const chunk of chunks) {
    if (text.length > READ_CHARACTERS_MAX) break;
    text += `${chunk.text}\n\n`;
  }
  try {
    const written = await summarize(call, text.slice(0, READ_CHARACTERS_MAX));
    const summary = written.text.trim().slice(0, SUMMARY_CHARACTERS_MAX).toWellFormed();
    return { text: summary || first.text, tokens: written.tokens };
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof ApiError) return first;
    throw error;
  }
}

function firstSentences(chunks: ReadResult['chunks']): string | null {
  const chunk = chunks.find(({ kind }) => kind === 'text') ?? chunks[0];
  const text = chunk?.text.replace(/\s+/g, ' ').slice(0, FIRST_CHARACTERS_MAX * 2) ?? '';
  if (text === '') return null;
  const ends = [...text.matchAll(SENTENCE_END)].map(({ index, 0: end }) => index + end.length);
  const end = ends.findLast((at) => at <= FIRST_CHARACTERS_MAX);
  return text.slice(0, end ?? FIRST_CHARACTERS_MAX).toWellFormed();
}
