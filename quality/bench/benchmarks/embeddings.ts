import { availableParallelism } from 'node:os';
import { createEmbedEngine } from '../../../src/engines/embed/index.ts';
import { embeddingWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { Benchmark } from '../benchmark.ts';
import { inTemporaryDir, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const RATIO_MIN = 0.8;
const never = new AbortController().signal;
const WORDS = ['tree', 'stone', 'river', 'cloud', 'bird', 'harbour', 'letter', 'winter'];

export const embeddings: Benchmark = {
  name: 'embeddings',
  summary: 'texts per second of the default embedding model against onnxruntime alone on ready tensors',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const weights = await embeddingWeightsForTests();
        if (!weights) throw new Error('the embedding weights are not here, and no source gives them');
        const [modelFile = '', tokenizerFile = ''] = weights.files;
        const threads = Math.max(1, availableParallelism() - 1);
        const texts = textsOf(quick ? 64 : 512);
        const bare = start(new URL('../processes/embed-bare.ts', import.meta.url), {
          role: 'free',
          args: [modelFile, tokenizerFile, String(threads)],
        });
        const engine = createEmbedEngine({ modelFile, tokenizerFile, threads, log: createLog('silent') });
        const ours = async () => {
          const startedAt = performance.now();
          await engine.embed(texts, never);
          return (texts.length / (performance.now() - startedAt)) * 1000;
        };
        const theirs = () => bare.ask<number>('embed', texts);
        try {
          await ours();
          await theirs();
          const pairs: { ours: number; bare: number }[] = [];
          const rounds = quick ? 1 : 4;
          for (let round = 0; round < rounds; round++) {
            progress(`embeddings: round ${round + 1} of ${rounds}`);
            pairs.push({ ours: await ours(), bare: await theirs() });
            pairs.push({ bare: await theirs(), ours: await ours() });
          }
          const [mine, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))];
          return [
            {
              name: 'texts/s vs onnxruntime',
              value: median(pairs.map((pair) => pair.ours / pair.bare)),
              unit: '×',
              target: { at: '≥', value: RATIO_MIN },
              note: `${mine.toFixed(0)} vs ${other.toFixed(0)} texts/s of 5 to 60 words on ${threads} thread${threads === 1 ? '' : 's'}`,
            },
          ];
        } finally {
          await engine.close();
        }
      }),
    ),
};

function textsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: 5 + ((i * 17) % 56) }, (_word, j) => WORDS[(i * 5 + j * 3 + (j >> 2)) % WORDS.length]).join(
      ' ',
    ),
  );
}
