import { ask, type Question } from '../serve/ask.ts';

/** How much longer one of two questions takes, as a factor of at least 1; both are asked by turns, in an order left to chance. */
export type Times = { ratio: number; foreignMs: number; missingMs: number };

const SUSPECT = 1.08;
const AGAIN = 3;

/**
 * The lower quartile of many pairs: what else the machine does only ever adds to a time, so the quick quarter tells most
 * about the work itself. Of hundreds of comparisons some look uneven by chance, so what does is measured again with more
 * pairs, and the last word counts: chance does not repeat itself.
 */
export async function compareTimes(
  url: string,
  [foreign, missing]: readonly [Question, Question],
  pairs: number,
  random: () => number,
): Promise<Times> {
  let times = await measure(pairs);
  for (let again = 0; again < AGAIN && times.ratio > SUSPECT; again++) times = await measure(pairs * 2);
  return times;

  async function measure(count: number): Promise<Times> {
    const taken: [number[], number[]] = [[], []];
    for (let pair = 0; pair < count; pair++) {
      const first = random() < 0.5 ? 0 : 1;
      for (const which of [first, 1 - first] as (0 | 1)[]) {
        const startedAt = performance.now();
        await ask(url, which === 0 ? foreign : missing);
        taken[which].push(performance.now() - startedAt);
      }
    }
    const [foreignMs, missingMs] = [lowerQuartile(taken[0]), lowerQuartile(taken[1])];
    return { ratio: Math.max(foreignMs / missingMs, missingMs / foreignMs), foreignMs, missingMs };
  }
}

export function lowerQuartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? 0;
}
