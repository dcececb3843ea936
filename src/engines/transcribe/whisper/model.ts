import { readFile } from 'node:fs/promises';
import type { InferenceSession, Tensor, TensorConstructor } from 'onnxruntime-node';
import { FRAMES_MAX, MELS } from './mel.ts';
import { openPositions, POSITIONS_INPUT } from './open-positions.ts';
import { quantizeLogits } from './quantize-logits.ts';
import { trimOutputs } from './trim-outputs.ts';

/** Heads that follow the sound closely, by the number of layers of the decoder; OpenAI publishes them. */
const ALIGNMENT_HEADS: Record<number, readonly (readonly [layer: number, head: number])[]> = {
  4: [
    [2, 2],
    [3, 0],
    [3, 2],
    [3, 3],
    [3, 4],
    [3, 5],
  ],
  6: [
    [3, 1],
    [4, 2],
    [4, 3],
    [4, 7],
    [5, 1],
    [5, 2],
    [5, 4],
    [5, 6],
  ],
  12: [
    [5, 3],
    [5, 9],
    [8, 0],
    [8, 4],
    [8, 7],
    [8, 8],
    [9, 0],
    [9, 7],
    [9, 9],
    [10, 5],
  ],
};
const HEAD_SIZE = 64;
const FRAMES_PER_POSITION = 2;
/** What a token leaves behind is memory outside of the heap, whose growth does not make the collector run. */
const READS_PER_COLLECTION = 32;

/** The sound of a window as the decoder reads it. */
export type Heard = { hidden: Tensor };

export type Step = {
  /** What may follow the token at this place of those that were read; the same memory each time. */
  logitsAfter(place: number): Float32Array;
  /** How much each head of the alignment looked at each frame, for each token that was read; only where it was asked for. */
  attention: Float32Array[][] | undefined;
};

export type Decoding = {
  /** The first time any number of tokens, then one at a time: without more the model takes no care of their order. */
  read(tokens: readonly number[]): Promise<Step>;
  /** Back to what was read by the first `read`. */
  rewind(): void;
};

export type WhisperModel = {
  /** How many frames a window of speech is given; the whole half minute where the model needs it. */
  framesOf(wanted: number): number;
  hear(mel: Float32Array): Promise<Heard>;
  decode(heard: Heard, hasAttention: boolean): Decoding;
};

export type WhisperFiles = { encoder: string; decoder: string };

export async function loadWhisper(files: WhisperFiles, threads: number): Promise<WhisperModel> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const common = { intraOpNumThreads: threads, interOpNumThreads: 1 };
  // The arena of the encoder would keep all its attentions, twice the memory of everything else.
  const encoderBytes = await load(files.encoder, /^last_hidden_state$/);
  const opened = openPositions(encoderBytes);
  const encoder = await Session.create(opened?.model ?? encoderBytes, {
    ...common,
    enableCpuMemArena: false,
    enableMemPattern: false,
  });
  const decoder = await Session.create(
    quantizeLogits(await load(files.decoder, /^(logits|present\..*|cross_attentions\..*)$/)),
    common,
  );
  const layers = decoder.inputNames.filter((name) => /decoder\.key$/.test(name)).length;
  const heads = ALIGNMENT_HEADS[layers] ?? [];
  return {
    framesOf: (wanted) => (opened ? wanted : FRAMES_MAX),
    async hear(mel) {
      const frames = mel.length / MELS;
      const feeds: Record<string, Tensor> = { input_features: new TensorOf('float32', mel, [1, MELS, frames]) };
      if (opened) {
        const { values, width } = opened.positions;
        const count = frames / FRAMES_PER_POSITION;
        feeds[POSITIONS_INPUT] = new TensorOf('float32', values.subarray(0, count * width), [count, width]);
      }
      const { last_hidden_state } = await encoder.run(feeds, ['last_hidden_state']);
      return { hidden: last_hidden_state as Tensor };
    },
    decode: ({ hidden }, hasAttention) =>
      startDecoding({ decoder, TensorOf, layers, heads: hasAttention ? heads : [] }, hidden),
  };
}

async function load(file: string, outputs: RegExp): Promise<Uint8Array> {
  return trimOutputs(await readFile(file), (name) => outputs.test(name));
}

type Parts = {
  decoder: InferenceSession;
  TensorOf: TensorConstructor;
  layers: number;
  heads: readonly (readonly [layer: number, head: number])[];
};

function startDecoding({ decoder, TensorOf, layers, heads }: Parts, hidden: Tensor): Decoding {
  const headCount = (hidden.dims[2] as number) / HEAD_SIZE;
  const isCached = (value: boolean) => new TensorOf('bool', [value], [1]);
  const nothing = new TensorOf('float32', new Float32Array(0), [1, headCount, 0, HEAD_SIZE]);
  // Later steps read the sound from the cache, but the runtime would prepare all of it again each time.
  const unread = new TensorOf('float32', new Float32Array(hidden.dims[2] as number), [1, 1, hidden.dims[2] as number]);
  const kept = Array.from({ length: layers }, (_, layer) => layer);
  const ofDecoder = kept.flatMap((layer) => [`${layer}.decoder.key`, `${layer}.decoder.value`]);
  const ofEncoder = kept.flatMap((layer) => [`${layer}.encoder.key`, `${layer}.encoder.value`]);
  const attentions = [...new Set(heads.map(([layer]) => `cross_attentions.${layer}`))];
  const fetched = ['logits', ...ofDecoder.map((name) => `present.${name}`), ...attentions];
  let past: Record<string, Tensor> | undefined;
  let first: Record<string, Tensor> | undefined;
  let reads = 0;

  return {
    async read(tokens) {
      reads += 1;
      if (reads % READS_PER_COLLECTION === 0) void globalThis.gc?.({ type: 'minor' });
      const isFirst = past === undefined;
      const feeds: Record<string, Tensor> = {
        ...(past ??
          Object.fromEntries([...ofDecoder, ...ofEncoder].map((name) => [`past_key_values.${name}`, nothing]))),
        input_ids: new TensorOf('int64', BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
        encoder_hidden_states: isFirst ? hidden : unread,
        use_cache_branch: isCached(!isFirst),
      };
      const wanted = isFirst ? [...fetched, ...ofEncoder.map((name) => `present.${name}`)] : fetched;
      const results = await decoder.run(feeds, wanted);
      const next: Record<string, Tensor> = { ...past };
      for (const name of isFirst ? [...ofDecoder, ...ofEncoder] : ofDecoder)
        next[`past_key_values.${name}`] = results[`present.${name}`] as Tensor;
      past = next;
      first ??= next;
      const { data, dims } = results.logits as Tensor;
      const size = dims[2] as number;
      return {
        logitsAfter: (place) => (data as Float32Array).subarray(place * size, (place + 1) * size),
        attention:
          heads.length === 0
            ? undefined
            : tokens.map((_, place) => heads.map(([layer, head]) => rowOf(results, layer, head, place))),
      };
    },
    rewind() {
      past = first;
    },
  };
}

/** The attention of one head for one token. */
function rowOf(results: Record<string, Tensor | undefined>, layer: number, head: number, place: number): Float32Array {
  const { data, dims } = results[`cross_attentions.${layer}`] as Tensor;
  const [, , tokens, frames] = dims as [number, number, number, number];
  const at = (head * tokens + place) * frames;
  return (data as Float32Array).slice(at, at + frames);
}
