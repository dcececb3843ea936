import type { Question } from './make-set.ts';

export const MODES = ['text', 'vector', 'hybrid'] as const;
export type Mode = (typeof MODES)[number];

/** Passages that are shown to a model, and so may be cited. */
export const LIMIT = 5;

export type Hit = { documentId: string; text: string };
export type Search = (question: Question, mode: Mode, rerank?: boolean) => Promise<Hit[]>;

export type Measured = {
  questions: number;
  /** How many of the questions have the right document among the first five passages. */
  recall: number;
  /** The mean of 1 / the rank of the first passage of the right document, 0 where none is found. */
  mrr: number;
  /** How many have a passage with the answer itself, of the right document, among the five. */
  cited: number;
};

export type Outcome = Question & { rank: number | undefined; isCited: boolean };

export async function ask(questions: Question[], search: Search, mode: Mode, rerank = false): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const hits = (await search(question, mode, rerank)).slice(0, LIMIT);
    const rank = hits.findIndex(({ documentId }) => documentId === question.documentId) + 1;
    const isCited = hits.some(
      ({ documentId, text }) => documentId === question.documentId && hasAnswer(text, question.answer),
    );
    outcomes.push({ ...question, rank: rank === 0 ? undefined : rank, isCited });
  }
  return outcomes;
}

export function measure(outcomes: Outcome[]): Measured {
  const share = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / Math.max(1, outcomes.length);
  return {
    questions: outcomes.length,
    recall: share(({ rank }) => (rank === undefined ? 0 : 1)),
    mrr: share(({ rank }) => (rank === undefined ? 0 : 1 / rank)),
    cited: share(({ isCited }) => (isCited ? 1 : 0)),
  };
}

/** As a word of its own: 6 is not in 16, nor in 6a. */
export function hasAnswer(text: string, answer: string): boolean {
  const words = (value: string) =>
    ` ${
      value
        .normalize('NFKC')
        .match(/[\p{L}\p{N}]+/gu)
        ?.join(' ') ?? ''
    } `;
  return words(text).includes(words(answer));
}
