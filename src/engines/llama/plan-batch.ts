/** A sequence with tokens to evaluate. With one left it is answering: that token's logits give the next. */
export type Pending = { remaining: number };

export type Share<T> = { item: T; count: number; wantsLogits: boolean };

/** Every answering sequence gets its token, the others share what is left of the slice evenly. */
export function planBatch<T extends Pending>(items: T[], sliceTokens: number, batchTokens: number): Share<T>[] {
  const answering = items.filter(({ remaining }) => remaining === 1);
  const reading = items.filter(({ remaining }) => remaining > 1);
  const shares: Share<T>[] = answering.map((item) => ({ item, count: 1, wantsLogits: true }));
  let budget = Math.min(sliceTokens, batchTokens - answering.length);
  // Those with least left first: what they do not need goes to the others.
  for (const [index, item] of reading.toSorted((a, b) => a.remaining - b.remaining).entries()) {
    // The last token of a prompt is left for a step of its own, so an answer does not depend on how its prompt was cut.
    const count = Math.min(item.remaining - 1, Math.ceil(budget / (reading.length - index)), budget);
    if (count <= 0) continue;
    budget -= count;
    shares.push({ item, count, wantsLogits: false });
  }
  return shares;
}

export type Pace = { sliceTokens(isAnswering: boolean): number; observe(tokens: number, tookMs: number): void };

const sliceTokensMin = 8;
const sliceTokensFirst = 64;
const answeringMsMax = 120;
const idleMsMax = 400;
/** Below so many tokens each costs about twice as much, so streams wait a little longer rather than have shorter slices. */
const sliceTokensGood = 32;
const goodMsMax = 200;
const observedTokensMin = 16;

/** How much of a prompt fits into one step. Fast machines take long slices, slow ones short: streams never wait long. */
export function createPace(): Pace {
  let msPerToken: number | undefined;
  return {
    sliceTokens(isAnswering) {
      if (msPerToken === undefined) return sliceTokensFirst;
      const wanted = Math.floor((isAnswering ? answeringMsMax : idleMsMax) / msPerToken);
      return Math.max(wanted, Math.min(sliceTokensGood, Math.floor(goodMsMax / msPerToken)), sliceTokensMin);
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
