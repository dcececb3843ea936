import { readFileSync } from 'node:fs';
import { readExamples, trainClassifier } from '../../../src/classifiers/index.ts';
import { createEmbedEngine, createTrainedClassifier } from '../../../src/engines/index.ts';
import { multilingualWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { Benchmark } from '../benchmark.ts';
import { median } from '../statistics.ts';

const RATIO_MIN = 0.9;
const ACCURACY_MIN = 0.88;
const SEEDS = [1, 2, 3, 4, 5];
const never = new AbortController().signal;

export const classifications: Benchmark = {
  name: 'classifications',
  summary: 'texts per second of a trained classifier against embedding alone, and its accuracy in five languages',
  async run({ quick, progress }) {
    const weights = await multilingualWeightsForTests();
    if (!weights) throw new Error('the multilingual weights are not here, and no source gives them');
    const [modelFile = '', tokenizerFile = ''] = weights.files;
    const engine = createEmbedEngine({ modelFile, tokenizerFile, log: createLog('silent') });
    try {
      const labelled = readFileSync(new URL('../../../examples/support-topics.jsonl', import.meta.url), 'utf8');
      const { examples, targets } = readExamples(labelled);
      const texts = examples.map(({ text }) => text);
      const { vectors } = await engine.embed(texts, never);
      const seeds = quick ? SEEDS.slice(0, 1) : SEEDS;
      const trained = [];
      const times: number[] = [];
      for (const seed of seeds) {
        progress(`classifications: seed ${seed}`);
        const startedAt = performance.now();
        trained.push(await trainClassifier(examples, vectors, { targets, heldOutShare: 0.25, seed }));
        times.push(performance.now() - startedAt);
      }
      const [first] = trained;
      if (!first) throw new Error('nothing was trained');
      const classifier = createTrainedClassifier(engine, first.definition);
      const rate = async (work: () => Promise<unknown>) => {
        const startedAt = performance.now();
        await work();
        return (texts.length / (performance.now() - startedAt)) * 1000;
      };
      const embed = () => rate(() => engine.embed(texts, never));
      const classify = () => rate(async () => classifier.classify?.(texts, never));
      const pairs: { ours: number; bare: number }[] = [];
      for (let round = 0; round < (quick ? 1 : 4); round++) {
        pairs.push({ ours: await classify(), bare: await embed() });
        pairs.push({ bare: await embed(), ours: await classify() });
      }
      const figures = trained.flatMap(({ figures }) => Object.values(figures.targets));
      const [mine, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))];
      return [
        {
          name: 'texts/s vs embedding alone',
          value: median(pairs.map((pair) => pair.ours / pair.bare)),
          unit: '×',
          target: { at: '≥', value: RATIO_MIN },
          note: `${mine.toFixed(0)} vs ${other.toFixed(0)} texts/s; trained in ${(median(times) / 1000).toFixed(1)} s`,
        },
        {
          name: 'accuracy on held-out texts, median over seeds',
          value: median(figures.map(({ accuracy }) => accuracy)),
          unit: '',
          target: { at: '≥', value: ACCURACY_MIN },
          note: `calibration error ${median(figures.map(({ calibration_error }) => calibration_error)).toFixed(2)}`,
        },
      ];
    } finally {
      await engine.close();
    }
  },
};
