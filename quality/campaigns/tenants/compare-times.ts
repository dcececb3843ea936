import { ask, type Question } from '../serve/ask.ts';

/** How much longer one of two requests takes, as a factor of at least 1; both are sent in turns, in random order. */
export type Times = { ratio: number; foreignMs: number; missingMs: number };

const SUSPECT = 1.08;
const AGAIN = 3;

/**
 * Compares the lower quartiles of many pairs: disturbances only ever add time, so the fast quarter is closest to the
 * work itself. Uneven pairs may be chance, so they are measured again with more pairs, and the last result counts.
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
