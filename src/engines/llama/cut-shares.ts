import type { Share } from './plan-batch.ts';
import type { Running } from './task.ts';

export function isMeasured({ item, wantsLogits }: Share<Running>): boolean {
  const { promptMeter, prompt } = item.task;
  return promptMeter !== undefined && !wantsLogits && item.evaluated < prompt.length - 1;
}

export type Part = Share<Running> & { position: number; isMeasured: boolean };

/** What a token was chosen at, and the places after it for what was foreseen. */
export type Wanted = { item: Running; places: number[] };

export function joinPlaces(parts: { item: Running; place: number | undefined }[]): Wanted[] {
  const joined = new Map<Running, number[]>();
  for (const { item, place } of parts) {
    if (place !== undefined) joined.set(item, [...(joined.get(item) ?? []), place]);
  }
  return [...joined].map(([item, places]) => ({ item, places }));
}

export function tokensAt({ tokens, draft }: Running, position: number, count: number): number[] {
  if (position < tokens.length) return tokens.slice(position, position + count);
  return draft.slice(position - tokens.length, position - tokens.length + count);
}

/** Only the last token of an entry has logits; a prompt that is measured and what is foreseen need those of each. */
export function cutShare(share: Share<Running>): Part[] {
  const { item, count } = share;
  const { promptMeter, prompt } = item.task;
  if (!promptMeter || !isMeasured(share)) {
    const foreseen = share.wantsLogits ? item.draft.length : 0;
    return Array.from({ length: 1 + foreseen }, (_, index) => ({
      ...share,
      position: item.evaluated + index,
      isMeasured: false,
    }));
  }
  return Array.from({ length: count }, (_, index) => {
    const position = item.evaluated + index;
    const measured = position >= promptMeter.measured && position < prompt.length - 1;
    return { item, count: 1, position, wantsLogits: measured, isMeasured: measured };
  });
}
