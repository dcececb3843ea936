import type { Tensor } from 'onnxruntime-node';
import { addWindow, type EmbedModel } from '../model.ts';
import type { Window } from '../plan-batches.ts';
import { buildGraph, DIMENSIONS, REACH, WINDOW } from './build-graph.ts';
import { type NpyArray, readNpz } from './read-npz.ts';

/** The vectors of the vocabulary are cut into this many tables: token 17 is row 1 of table 0. */
const TABLES = 17;

/** The sentence encoder from its weights as a NumPy archive. Throws where that is another model's. */
export async function loadEncoder(file: string, threads: number): Promise<EmbedModel> {
  const { InferenceSession, Tensor: TensorOf } = await import('onnxruntime-node');
  const { vocabulary, weights } = await readWeights(file);
  const session = await InferenceSession.create(buildGraph(weights), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  });
  const outputName = session.outputNames[0] ?? '';
  return {
    dimensions: DIMENSIONS,
    async run(batch, sums) {
      const { tokens, windows, pool, count } = feedsOf(batch, vocabulary);
      const result = await session.run({
        tokens: new TensorOf('float32', tokens, [count, DIMENSIONS]),
        windows: new TensorOf('int32', windows, [count, WINDOW]),
        pool: new TensorOf('float32', pool, [batch.length, count]),
      });
      const vectors = (result[outputName] as Tensor).data as Float32Array;
      for (const [row, window] of batch.entries())
        addWindow(window, vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS), sums);
    },
  };
}

type Vocabulary = { rows: Uint8Array; scale: Float32Array; least: Float32Array };

async function readWeights(file: string): Promise<{ vocabulary: Vocabulary; weights: Map<string, NpyArray> }> {
  const weights = new Map<string, NpyArray>();
  let rows = new Uint8Array();
  for await (const [name, array] of readNpz(file)) {
    const table = /^q(\d+)$/.exec(name)?.[1];
    if (table === undefined) {
      weights.set(name, array);
      continue;
    }
    if (rows.length === 0) rows = new Uint8Array(array.values.length * TABLES);
    for (let from = 0, to = Number(table) - 1; from < array.values.length; from += DIMENSIONS, to += TABLES)
      rows.set(array.values.subarray(from, from + DIMENSIONS), to * DIMENSIONS);
  }
  const [scale, least] = [weights.get('scale')?.values, weights.get('lo')?.values];
  if (!(scale instanceof Float32Array && least instanceof Float32Array) || rows.length === 0)
    throw new Error('This is not the archive of a sentence encoder.');
  return { vocabulary: { rows, scale, least }, weights };
}

function feedsOf(batch: Window[], { rows, scale, least }: Vocabulary) {
  const count = batch.reduce((sum, { ids }) => sum + ids.length, 0);
  const tokens = new Float32Array(count * DIMENSIONS);
  const windows = new Int32Array(count * WINDOW);
  const pool = new Float32Array(batch.length * count);
  let start = 0;
  for (const [row, { ids }] of batch.entries()) {
    const end = start + ids.length;
    pool.fill(1 / Math.sqrt(ids.length), row * count + start, row * count + end);
    for (const [i, id] of ids.entries()) {
      const at = start + i;
      const [factor, offset] = [scale[id % TABLES] ?? 0, least[id % TABLES] ?? 0];
      for (let d = 0; d < DIMENSIONS; d++)
        tokens[at * DIMENSIONS + d] = (rows[id * DIMENSIONS + d] ?? 0) * factor + offset;
      for (let w = 0; w < WINDOW; w++) {
        const seen = at + w - REACH;
        windows[at * WINDOW + w] = seen >= start && seen < end ? seen : count;
      }
    }
    start = end;
  }
  return { tokens, windows, pool, count };
}
