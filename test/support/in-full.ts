import { describe, it } from 'vitest';
import { isFull } from './rounds.ts';

const given = (condition: unknown) => ({ it: it.runIf(condition), describe: describe.runIf(condition) });

/**
 * `inFull.it` and `inFull.describe` run in `npm run test:full` alone; `inFull.given(weights)` also needs something. What
 * they prove has a shorter form in every run, which cites the ids of requirements: here they do not count.
 */
export const inFull = { ...given(isFull), given: (condition: unknown) => given(isFull && condition) };
