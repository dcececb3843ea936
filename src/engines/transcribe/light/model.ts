import type { Tensor } from 'onnxruntime-node';

const LAYERS = 6;
const HEADS = 8;
const HEAD_SIZE = 36;
const START = 1;
const END = 2;

const names = (side: string) =>
  Array.from({ length: LAYERS }, (_, layer) => [`${layer}.${side}.key`, `${layer}.${side}.value`]).flat();
const OF_DECODER = names('decoder');
const ALL = [...OF_DECODER, ...names('encoder')];
const LATER_OUTPUTS = ['logits', ...OF_DECODER.map((name) => `present.${name}`)];

export type Written = { tokens: number[]; logprobs: number[] };

export type LightModel = {
  /** What is said in some seconds of speech. It begins with `known`, which costs nearly nothing. */
  write(samples: Float32Array, known: readonly number[], tokensMax: number): Promise<Written>;
};

/** Moonshine tiny. Unlike Whisper it pays only for the sound that there is. */
export async function loadMoonshine(files: { encoder: string; decoder: string }, threads: number): Promise<LightModel> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1, enableCpuMemArena: false };
  const encoder = await Session.create(files.encoder, options);
  const decoder = await Session.create(files.decoder, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const nothing = new TensorOf('float32', new Float32Array(0), [0, HEADS, 1, HEAD_SIZE]);

  return {
    async write(samples, known, tokensMax) {
      const input_values = new TensorOf('float32', samples, [1, samples.length]);
      const { last_hidden_state } = await encoder.run({ input_values });
      const past: Record<string, Tensor> = {};
      for (const name of ALL) past[`past_key_values.${name}`] = nothing;
      const tokens: number[] = [];
      const logprobs: number[] = [];
      let next = [START, ...known];
      for (let isFirst = true; ; isFirst = false) {
        const feeds = {
          ...past,
          input_ids: new TensorOf('int64', BigInt64Array.from(next, BigInt), [1, next.length]),
          encoder_hidden_states: last_hidden_state as Tensor,
          use_cache_branch: new TensorOf('bool', [!isFirst], [1]),
        };
        const results = isFirst ? await decoder.run(feeds) : await decoder.run(feeds, LATER_OUTPUTS);
        for (const name of isFirst ? ALL : OF_DECODER)
          past[`past_key_values.${name}`] = results[`present.${name}`] as Tensor;
        const { token, logprob } = likeliest(results.logits as Tensor);
        logprobs.push(logprob);
        if (token === END || tokens.length >= tokensMax) return { tokens, logprobs };
        tokens.push(token);
        next = [token];
      }
    },
  };
}

/** After the last token. */
function likeliest({ data, dims }: Tensor): { token: number; logprob: number } {
  const logits = data as Float32Array;
  const size = dims[2] as number;
  const from = logits.length - size;
  let best = from;
  for (let i = from + 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i;
  let sum = 0;
  for (let i = from; i < logits.length; i++) sum += Math.exp((logits[i] as number) - (logits[best] as number));
  return { token: best - from, logprob: -Math.log(sum) };
}
