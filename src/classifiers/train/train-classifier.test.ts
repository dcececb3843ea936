import { describe, expect, it } from 'vitest';
import { type Example, ExamplesInvalid, readExamples, type TargetPlan } from './read-examples.ts';
import { splitExamples } from './split-examples.ts';
import { trainClassifier } from './train-classifier.ts';

const line = (value: unknown) => JSON.stringify(value);
const times = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => line(make(index))).join('\n');

/** Numbers between -1 and 1 that look random. */
function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32) * 2 - 1;
  };
}

/** Two clouds of points that overlap, so that nobody can always be right. */
function clouds(count: number, distance: number) {
  const noise = createNoise(7);
  const examples: Example[] = [];
  const vectors: Float32Array[] = [];
  for (let index = 0; index < count; index++) {
    const label = index % 2 === 0 ? 'left' : 'right';
    const centre = label === 'left' ? -distance : distance;
    examples.push({ text: `${index}`, labels: { side: [label] } });
    vectors.push(
      Float32Array.from({ length: 6 }, (_, axis) => (axis === 0 ? centre : 0) + noise() + noise() + noise()),
    );
  }
  const targets: TargetPlan[] = [{ name: 'side', labels: ['left', 'right'], loss_function: 'single_class' }];
  return { examples, vectors, targets };
}

describe('the training of a classifier', () => {
  it('finds what can be found, and its scores mean what they say', async () => {
    const { examples, vectors, targets } = clouds(1600, 0.8);
    const { figures, definition } = await trainClassifier(examples, vectors, { targets, heldOutShare: 0.5, seed: 1 });
    const { accuracy, macro_f1, calibration_error, labels } = figures.targets.side ?? ({} as never);
    expect(figures).toMatchObject({ examples: 1600, held_out: 800, seed: 1 });
    expect(definition.dimensions).toBe(6);
    // The best rule looks at the first axis only, and is right for about 79 percent.
    expect(accuracy).toBeGreaterThan(0.74);
    expect(accuracy).toBeLessThan(0.86);
    expect(Math.abs(macro_f1 - accuracy)).toBeLessThan(0.05);
    expect(calibration_error).toBeLessThan(0.06);
    expect(labels.left?.examples).toBe(400);
  });

  it('is the same for the same seed, and holds out others for another one', async () => {
    const { examples, vectors, targets } = clouds(120, 1);
    const train = (seed: number) => trainClassifier(examples, vectors, { targets, heldOutShare: 0.25, seed });
    const [first, again, other] = [await train(1), await train(1), await train(2)];
    expect(again).toEqual(first);
    expect(other.definition).not.toEqual(first.definition);
  });

  it('learns several labels that do not exclude each other, each for itself', async () => {
    const noise = createNoise(3);
    const examples: Example[] = [];
    const vectors: Float32Array[] = [];
    for (let index = 0; index < 400; index++) {
      const labels = [...(index % 2 ? ['loud'] : []), ...(index % 3 === 0 ? ['red'] : [])];
      examples.push({ text: `${index}`, labels: { marks: labels } });
      const at = (name: string) => (labels.includes(name) ? 1 : -1);
      vectors.push(Float32Array.of(at('loud') + noise(), at('red') + noise(), noise()));
    }
    const targets: TargetPlan[] = [{ name: 'marks', labels: ['loud', 'red'], loss_function: 'multi_class' }];
    const { figures } = await trainClassifier(examples, vectors, { targets, heldOutShare: 0.25, seed: 1 });
    expect(figures.targets.marks?.accuracy).toBeGreaterThan(0.95);
    expect(figures.targets.marks?.labels.red?.f1).toBeGreaterThan(0.95);
    expect(figures.targets.marks?.calibration_error).toBeLessThan(0.05);
  });
});

describe('examples', () => {
  it('have a text or a conversation, and one label or several targets', () => {
    expect(
      readExamples(`${times(4, () => ({ text: 'a', label: 'x' }))}\n\n${times(4, () => ({ text: 'b', label: 'y' }))}`),
    ).toMatchObject({
      examples: { length: 8, 0: { text: 'a', labels: { label: ['x'] } } },
      targets: [{ name: 'label', labels: ['x', 'y'], loss_function: 'single_class' }],
    });
    const chat = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: 'Hello' },
    ];
    const labelled = times(8, (index) => ({ messages: chat, labels: { topic: index % 2 ? 'a' : 'b', marks: ['m'] } }));
    expect(readExamples(labelled)).toMatchObject({
      examples: { 0: { text: 'user: Hi\nassistant: Hello' } },
      targets: [
        { name: 'topic', loss_function: 'single_class' },
        { name: 'marks', labels: ['m'], loss_function: 'multi_class' },
      ],
    });
  });

  it.each([
    ['nothing', '', 'There are no examples'],
    ['no JSON', '{"text": "a", "label": "x"}\nnope', 'Line 2 is not JSON'],
    ['an unknown property', line({ text: 'a', label: 'x', weight: 2 }), 'Line 1 is not an example'],
    ['a reserved name', line({ text: 'a', label: '__proto__' }), 'Line 1 is not an example'],
    ['a blank text', line({ text: '  ', label: 'x' }), 'Line 1 has no text'],
    ['one label only', times(9, () => ({ text: 'a', label: 'x' })), 'has 1 labels'],
    [
      'a rare label',
      `${times(4, () => ({ text: 'a', label: 'x' }))}\n${times(3, () => ({ text: 'b', label: 'rare' }))}`,
      'Too few have: rare',
    ],
    [
      'targets that differ',
      `${line({ text: 'a', labels: { one: 'x' } })}\n${line({ text: 'a', labels: { two: 'x' } })}`,
      'Example 2 has other targets',
    ],
  ])('are refused with the place: %s', (_name, text, message) => {
    expect(() => readExamples(text)).toThrow(ExamplesInvalid);
    expect(() => readExamples(text)).toThrow(message);
  });

  it('are held out in about the same share for each label, and never all of one', () => {
    const examples = Array.from({ length: 103 }, (_, index) => ({
      text: `${index}`,
      labels: { a: [index % 10 === 0 ? 'rare' : 'common'], b: [index === 50 ? 'once' : 'else'] },
    }));
    for (const seed of [1, 2, 3]) {
      const { learnt, heldOut } = splitExamples(examples, { share: 0.2, seed });
      expect(new Set([...learnt, ...heldOut]).size).toBe(103);
      expect(heldOut.length).toBeGreaterThan(18);
      const rare = heldOut.filter((index) => examples[index]?.labels.a[0] === 'rare').length;
      expect(rare).toBeGreaterThanOrEqual(1);
      expect(rare).toBeLessThanOrEqual(3);
      expect(learnt).toContain(50);
    }
  });
});
