import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Window } from './plan-batches.ts';
import type { EmbedTask } from './protocol.ts';

export type EmbedModel = {
  dimensions: number;
  /** Adds each window's normalised vector or its logits, weighted by its tokens, to its text's row of `sums`. */
  run(batch: Window[], sums: Float32Array): Promise<void>;
};

/** A model as ONNX: token ids in; one vector per token out, whose mean is the sentence's, or the logits of its labels. */
export async function loadModel(
  file: string,
  threads: number,
  padId: number,
  task: EmbedTask = 'embed',
): Promise<EmbedModel> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const session = await Session.create(file, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const outputName = session.outputNames[0] ?? 'last_hidden_state';
  const tensorOf = (values: BigInt64Array, dims: number[]): Tensor => new TensorOf('int64', values, dims);
  const output = async (batch: Window[]) => {
    const result = await session.run(feedsOf(batch, padId, session, tensorOf));
    return result[outputName] as Tensor;
  };
  const probe = await output([{ text: 0, ids: [padId] }]);
  const dimensions = probe.dims.at(-1) ?? 0;
  if (task === 'classify' && (probe.dims.length !== 2 || probe.type !== 'float32'))
    throw new Error('This is not a model that gives one number per label.');
  if (task === 'embed' && (probe.dims.length !== 3 || probe.type !== 'float32'))
    throw new Error('This is not a model that gives one vector per token.');
  return {
    dimensions,
    async run(batch, sums) {
      const hidden = await output(batch);
      if (task === 'classify') return addLogits(hidden.data as Float32Array, batch, dimensions, sums);
      addPooled(hidden.data as Float32Array, batch, hidden.dims[1] ?? 0, dimensions, sums);
    },
  };
}

function feedsOf(
  batch: Window[],
  padId: number,
  session: InferenceSession,
  tensorOf: (values: BigInt64Array, dims: number[]) => Tensor,
): Record<string, Tensor> {
  const length = Math.max(...batch.map(({ ids }) => ids.length));
  const dims = [batch.length, length];
  const ids = new BigInt64Array(batch.length * length).fill(BigInt(padId));
  const mask = new BigInt64Array(batch.length * length);
  for (const [row, window] of batch.entries()) {
    for (const [column, id] of window.ids.entries()) ids[row * length + column] = BigInt(id);
    mask.fill(1n, row * length, row * length + window.ids.length);
  }
  const feeds: Record<string, Tensor> = { input_ids: tensorOf(ids, dims), attention_mask: tensorOf(mask, dims) };
  if (session.inputNames.includes('token_type_ids'))
    feeds.token_type_ids = tensorOf(new BigInt64Array(batch.length * length), dims);
  return feeds;
}

function addPooled(hidden: Float32Array, batch: Window[], length: number, dimensions: number, sums: Float32Array) {
  const mean = new Float32Array(dimensions);
  for (const [row, window] of batch.entries()) {
    mean.fill(0);
    for (let token = 0; token < window.ids.length; token++) {
      const at = (row * length + token) * dimensions;
      for (let i = 0; i < dimensions; i++) mean[i] = (mean[i] ?? 0) + (hidden[at + i] ?? 0);
    }
    addWindow(window, mean, sums);
  }
}

function addLogits(logits: Float32Array, batch: Window[], labels: number, sums: Float32Array) {
  for (const [row, { text, ids }] of batch.entries())
    for (let i = 0; i < labels; i++)
      sums[text * labels + i] = (sums[text * labels + i] ?? 0) + (logits[row * labels + i] ?? 0) * ids.length;
}

/** Adds the vector of a window, made length 1 and weighted by its tokens, to its text's row of `sums`. */
export function addWindow({ text, ids }: Window, vector: Float32Array, sums: Float32Array): void {
  normalize(vector);
  const at = text * vector.length;
  for (let i = 0; i < vector.length; i++) sums[at + i] = (sums[at + i] ?? 0) + (vector[i] ?? 0) * ids.length;
}

/** To length 1, in place. */
export function normalize(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (length === 0) return;
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length;
}
