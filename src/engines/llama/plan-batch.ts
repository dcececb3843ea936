import { type Owned, organizationOf } from './take-turns.ts';

/** A sequence with tokens to evaluate. With one left it is answering: that token's logits give the next. */
export type Pending = Owned & { remaining: number };

export type Share<T> = { item: T; count: number; wantsLogits: boolean };

/** How many tokens of prompts one step reads, and how many of one organization's while another one is answered. */
export type Slice = { all: number; beside: number };

/**
 * Every answering sequence gets its token. Organizations share the slice evenly, and so do the prompts of each. A long
 * prompt is read in small pieces while others are answered: they pay for it in every step.
 */
export function planBatch<T extends Pending>(items: T[], slice: Slice, batchTokens: number): Share<T>[] {
  const answering = items.filter(({ remaining }) => remaining === 1);
  const shares: Share<T>[] = answering.map((item) => ({ item, count: 1, wantsLogits: true }));
  const prompts = Map.groupBy(
    items.filter(({ remaining }) => remaining > 1),
    organizationOf,
  );
  const groups = [...prompts].map(([organization, reading]) => {
    // The last token of a prompt is left for a step of its own, so an answer does not depend on how its prompt was cut.
    const unread = reading.map(({ remaining }) => remaining - 1);
    const isBeside = answering.some((item) => organizationOf(item) !== organization);
    const shortest = Math.min(...unread);
    const short = shortest <= sliceTokensGood ? shortest : 0;
    const most = isBeside ? Math.max(slice.beside, short) : slice.all;
    return { reading, wanted: Math.min(most, sum(unread)) };
  });
  const budget = Math.min(slice.all, batchTokens - answering.length);
  for (const [{ reading }, tokens] of shareOut(groups, budget, ({ wanted }) => wanted))
    for (const [item, count] of shareOut(reading, tokens, ({ remaining }) => remaining - 1))
      shares.push({ item, count, wantsLogits: false });
  return shares;
}

/** Evenly; what those who want least do not need goes to the others. */
function shareOut<T>(items: T[], budget: number, wantedBy: (item: T) => number): [T, number][] {
  const ordered = items.toSorted((a, b) => wantedBy(a) - wantedBy(b));
  let left = budget;
  return ordered.flatMap((item, index): [T, number][] => {
    const count = Math.min(wantedBy(item), Math.ceil(left / (ordered.length - index)), left);
    if (count <= 0) return [];
    left -= count;
    return [[item, count]];
  });
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

export type Pace = { slice(isAnswering: boolean): Slice; observe(tokens: number, tookMs: number): void };

const sliceTokensMin = 8;
const sliceTokensFirst = 64;
const answeringMsMax = 120;
const besideMsMax = 60;
const idleMsMax = 400;
/** Below so many tokens each costs about twice as much, so streams wait a little longer rather than have shorter slices. */
const sliceTokensGood = 32;
const goodMsMax = 200;
const observedTokensMin = 16;

/** How much of a prompt fits into one step. Fast machines take long slices, slow ones short: streams never wait long. */
export function createPace(): Pace {
  let msPerToken: number | undefined;
  return {
    slice(isAnswering) {
      if (msPerToken === undefined) return { all: sliceTokensFirst, beside: sliceTokensFirst };
      const all = Math.floor((isAnswering ? answeringMsMax : idleMsMax) / msPerToken);
      const good = Math.min(sliceTokensGood, Math.floor(goodMsMax / msPerToken));
      const beside = Math.floor(besideMsMax / msPerToken);
      return { all: Math.max(all, good, sliceTokensMin), beside: Math.max(beside, sliceTokensMin) };
    },
    observe(tokens, tookMs) {
      if (tokens < observedTokensMin) return;
      const seen = tookMs / tokens;
      // A machine that becomes busy is believed sooner than one that becomes idle.
      const weight = msPerToken !== undefined && seen < msPerToken ? 0.2 : 0.7;
      msPerToken = msPerToken === undefined ? seen : msPerToken * (1 - weight) + seen * weight;
    },
  };
}
