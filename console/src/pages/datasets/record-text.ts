import type { DatasetRecord } from './queries.ts';

type Message = { role?: unknown; content?: unknown };

/** What a row of the list shows: the last question and the answer that the record holds. */
export function summaryOf({ payload }: Pick<DatasetRecord, 'payload'>): { question: string; answer: string } {
  const messages = Array.isArray(payload.messages) ? (payload.messages as Message[]) : [];
  if (messages.length === 0) return { question: JSON.stringify(payload), answer: '' };
  const last = messages.at(-1);
  const answer = last?.role === 'assistant' ? last : undefined;
  const question = messages.findLast((message) => message?.role === 'user') ?? messages[0];
  return { question: contentOf(question), answer: contentOf(answer) };
}

function contentOf(message: Message | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

/** A JSON object, or what is wrong with the text. */
export function readObject(text: string): { value?: Record<string, unknown>; problem?: string } {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
    return { problem: 'Write a JSON object: it begins with { and ends with }.' };
  } catch (error) {
    return { problem: `This is not JSON: ${(error as Error).message}` };
  }
}
