import type { RunRecord } from './queries.ts';
import { formatScore } from './scores.ts';

type Message = { role?: unknown; content?: unknown };

/** The last message of the user; what the system is asked ends with it. */
export function questionOf({ input }: Pick<RunRecord, 'input'>): string {
  const messages = messagesOf(input);
  return contentOf(messages.findLast(({ role }) => role === 'user') ?? messages.at(-1));
}

export function answerOf({ output_record }: Pick<RunRecord, 'output_record'>): string {
  const first = output_record?.generations[0];
  return first ? (first.error ?? contentOf(first.output as Message)) : '';
}

export function scoreTexts({ output_record }: Pick<RunRecord, 'output_record'>): { evaluator: string; text: string }[] {
  return Object.entries(output_record?.statistics ?? {}).map(([evaluator, statistics]) => {
    if (statistics.type === 'categorical') return { evaluator, text: statistics.mode.join(', ') };
    return { evaluator, text: statistics.avg === null ? '–' : formatScore(statistics.avg) };
  });
}

function messagesOf(input: unknown): Message[] {
  const list = Array.isArray(input) ? input : (input as { messages?: unknown } | null)?.messages;
  return Array.isArray(list) ? (list as Message[]) : [];
}

export function contentOf(message: Message | null | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('');
}
