import { Worker } from 'node:worker_threads';
import { codeFile } from '../../kit/base/locations.ts';
import { ExamplesInvalid } from './read-examples.ts';
import { type Training, toDefinition } from './train-classifier.ts';
import type { ThreadOrder, ThreadReport, ThreadVectors } from './train-thread.ts';

const THREAD_MEMORY_MIB = 512;

export type ThreadTraining = ThreadOrder & {
  /** One vector per text, in order. */
  embed(texts: string[]): Promise<Float32Array[]>;
  /** Called when the vectors are there. */
  onFit(): void;
  /** Ends the thread. */
  signal: AbortSignal;
};

/** Reads, fits and measures apart from the requests of others. Throws ExamplesInvalid for what the examples are to blame for. */
export async function trainInThread({ embed, onFit, signal, ...order }: ThreadTraining): Promise<Training> {
  signal.throwIfAborted();
  const worker = new Worker(codeFile('classifiers/train/train-thread.ts'), {
    workerData: order,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MIB },
  });
  const failed = Promise.withResolvers<never>();
  // Nobody waits for it once the training is over.
  failed.promise.catch(() => undefined);
  const stop = () => failed.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  worker.once('error', (error: NodeJS.ErrnoException) => {
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    failed.reject(isTooLarge ? new ExamplesInvalid('The examples need more memory than a training has.') : error);
  });
  worker.once('exit', (code) => failed.reject(new Error(`A training ended with code ${code}.`)));
  const next = () =>
    Promise.race([
      failed.promise,
      new Promise<ThreadReport>((resolve) => void worker.once('message', (report: ThreadReport) => resolve(report))),
    ]);
  try {
    const read = await next();
    if ('invalid' in read) throw new ExamplesInvalid(read.invalid);
    if (!('texts' in read)) throw new Error('A training said something else than its texts.');
    const vectors = await Promise.race([failed.promise, embed(read.texts)]);
    onFit();
    worker.postMessage(...packVectors(vectors));
    const fitted = await next();
    if (!('fitted' in fitted)) throw new Error('A training said something else than its weights.');
    return { definition: toDefinition(fitted.dimensions, fitted.fitted), figures: fitted.figures };
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function packVectors(all: readonly Float32Array[]): [ThreadVectors, ArrayBuffer[]] {
  const dimensions = all[0]?.length ?? 0;
  if (dimensions === 0 || all.some(({ length }) => length !== dimensions))
    throw new ExamplesInvalid('The embedding model gave vectors of different lengths.');
  const vectors = new Float32Array(all.length * dimensions);
  for (const [at, vector] of all.entries()) vectors.set(vector, at * dimensions);
  return [{ vectors, dimensions }, [vectors.buffer]];
}
