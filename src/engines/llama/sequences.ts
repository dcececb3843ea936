/** A sequence in the model's memory: the tokens it holds, the workspace they are from, and whether it is in use. */
export type Slot = {
  sequence: number;
  tokens: number[];
  workspace: string | undefined;
  isBusy: boolean;
  usedAt: number;
};

/** Where a prompt is best evaluated: how much of it is there already, and what to copy first, if anything. */
export type Placement = { slot: Slot; common: number; copyFrom: Slot | undefined };

/** Copying a sequence costs milliseconds; below so many tokens it is quicker to evaluate them again. */
const copyTokensMin = 64;

export function createSlots(count: number): Slot[] {
  return Array.from({ length: count }, (_, sequence) => ({
    sequence,
    tokens: [],
    workspace: undefined,
    isBusy: false,
    usedAt: 0,
  }));
}

/**
 * The free slot that remembers most of the prompt, among equals the one used longest ago, so that what others may come
 * back to survives. A busy slot that remembers much more is copied. What another workspace left counts as nothing: a
 * quick first token would tell that somebody there had sent the same text.
 */
export function placePrompt(slots: Slot[], prompt: number[], workspace: string | undefined): Placement | undefined {
  // The last token is always evaluated: its logits are where the answer begins.
  const usable = prompt.slice(0, -1);
  const rated = slots.map((slot) => ({
    slot,
    common: slot.workspace === workspace ? commonLength(slot.tokens, usable) : 0,
  }));
  const free = rated.filter(({ slot }) => !slot.isBusy);
  if (free.length === 0) return undefined;
  const oldest = free.reduce((a, b) => (b.slot.usedAt < a.slot.usedAt ? b : a));
  const most = free.reduce((a, b) => (isBetter(b, a) ? b : a));
  // A few common words are no reason to forget a long conversation while another slot was not used for longer.
  const best = isWorthLess(most) ? { slot: oldest.slot, common: oldest.common } : most;
  const busy = rated.filter(({ slot }) => slot.isBusy).sort((a, b) => b.common - a.common)[0];
  if (!busy || busy.common - best.common < copyTokensMin) return { ...best, copyFrom: undefined };
  return { slot: oldest.slot, common: busy.common, copyFrom: busy.slot };
}

type Rated = { slot: Slot; common: number };

function isWorthLess({ slot, common }: Rated): boolean {
  return common < copyTokensMin && slot.tokens.length - common >= copyTokensMin;
}

function isBetter(candidate: Rated, best: Rated): boolean {
  if (candidate.common !== best.common) return candidate.common > best.common;
  return candidate.slot.usedAt < best.slot.usedAt;
}

export function commonLength(a: number[], b: number[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}
