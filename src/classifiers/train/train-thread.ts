import { parentPort, workerData } from 'node:worker_threads';
import { type FittedTarget, fitTargets, type TrainingFigures } from './fit-targets.ts';
import { ExamplesInvalid, readExamples } from './read-examples.ts';

export type ThreadOrder = { content: Uint8Array; examplesMax: number; heldOutShare: number; seed: number };
/** All vectors one after another. */
export type ThreadVectors = { vectors: Float32Array; dimensions: number };
export type ThreadReport =
  | { texts: string[] }
  | { invalid: string }
  | { dimensions: number; fitted: FittedTarget[]; figures: TrainingFigures };

const { content, examplesMax, heldOutShare, seed } = workerData as ThreadOrder;
const report = (message: ThreadReport) => parentPort?.postMessage(message);

try {
  const { examples, targets } = readExamples(new TextDecoder().decode(content), examplesMax);
  parentPort?.once('message', async ({ vectors: all, dimensions }: ThreadVectors) => {
    const vectors = examples.map((_, at) => all.subarray(at * dimensions, (at + 1) * dimensions));
    report({ dimensions, ...(await fitTargets(examples, vectors, { targets, heldOutShare, seed })) });
  });
  report({ texts: examples.map(({ text }) => text) });
} catch (error) {
  if (!(error instanceof ExamplesInvalid)) throw error;
  report({ invalid: error.message });
}
