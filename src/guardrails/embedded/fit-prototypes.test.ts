import { expect, it } from 'vitest';
import { fitPrototypes } from './fit-prototypes.ts';

const DIMENSIONS = 12;

/** A direction with a little noise, of length one; the noise repeats from run to run. */
function near(axis: number, seed: number): Float32Array {
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, index) => Math.sin(seed * 7.3 + index * 3.1) * 0.15);
  vector[axis] = 1;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const axes = [0, 1, 2];
const vectors = axes.flatMap((axis) => Array.from({ length: 10 }, (_, seed) => near(axis, seed + axis * 100)));
const members = [0, 1].map((axis) => vectors.map((_, row) => Math.floor(row / 10) === axis));

it('what lies among the prototypes of a category is found there and nowhere else', async () => {
  const scorer = await fitPrototypes({ vectors, members });
  for (const seed of [1000, 1001, 1002]) {
    const [first = 0, second = 0] = scorer(near(0, seed));
    expect(first).toBeGreaterThan(0.5);
    expect(second).toBeLessThan(0.5);
    for (const score of scorer(near(2, seed))) expect(score).toBeLessThan(0.5);
  }
});

it('what lies far from everything is nothing', async () => {
  const scorer = await fitPrototypes({ vectors, members });
  for (const score of scorer(near(9, 1))) expect(score).toBeLessThan(0.5);
});

it('prototypes that contradict each other still give numbers', async () => {
  const twice = [...vectors, ...vectors];
  const both = members.map((belongs) => [...belongs, ...belongs.map((member) => !member)]);
  const scorer = await fitPrototypes({ vectors: twice, members: both });
  for (const score of scorer(near(0, 5))) expect(score >= 0 && score <= 1).toBe(true);
});

it('leaves the turn to others while it computes', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const many = Array.from({ length: 500 }, (_, seed) => near(seed % 3, seed));
  await fitPrototypes({ vectors: many, members: [many.map((_, row) => row % 3 === 0)] });
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
