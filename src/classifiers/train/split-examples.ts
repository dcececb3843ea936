import type { Example } from './read-examples.ts';

/**
 * Which examples are learnt from and which are held out: every n-th of them, after those with the same labels were put
 * together in an order by the seed. So each part has about the same share of every label.
 */
export function splitExamples(
  examples: readonly Example[],
  { share, seed }: { share: number; seed: number },
): { learnt: number[]; heldOut: number[] } {
  const random = createRandom(seed);
  const order = examples.map(({ labels }, index) => ({ index, key: JSON.stringify(labels), place: random() }));
  order.sort((a, b) => (a.key === b.key ? a.place - b.place : a.key < b.key ? -1 : 1));
  const [learnt, heldOut]: [number[], number[]] = [[], []];
  for (const [place, { index }] of order.entries()) {
    const isHeld = Math.floor((place + 1) * share) > Math.floor(place * share);
    (isHeld ? heldOut : learnt).push(index);
  }
  // A label that fell out of one part altogether could not be learnt.
  const seen = new Set(learnt.flatMap((index) => namesOf(examples[index])));
  const [needed, kept]: [number[], number[]] = [[], []];
  for (const index of heldOut) {
    const names = namesOf(examples[index]);
    const isNeeded = names.some((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    (isNeeded ? needed : kept).push(index);
  }
  return { learnt: shuffle([...learnt, ...needed], random), heldOut: kept };
}

function namesOf(example: Example | undefined): string[] {
  return Object.entries(example?.labels ?? {}).flatMap(([target, labels]) =>
    labels.map((label) => JSON.stringify([target, label])),
  );
}

function shuffle(values: number[], random: () => number): number[] {
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [values[last], values[other]] = [values[other] as number, values[last] as number];
  }
  return values;
}

/** Numbers from 0 up to 1, the same ones for the same seed: a linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  // Small seeds are alike at first.
  for (let step = 0; step < 8; step++) next();
  return next;
}
