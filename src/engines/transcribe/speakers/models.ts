import type { Tensor } from 'onnxruntime-node';
import { BANDS, filterBank } from './fbank.ts';
import type { SpeakerSettings } from './protocol.ts';

export type VoiceModels = {
  /** For each frame of ten seconds which of up to three voices are heard, as a number of `CLASSES`. */
  segment(samples: Float32Array): Promise<{ classes: Uint8Array }>;
  /** A voice as a vector of length 1. */
  embed(samples: Float32Array): Promise<Float32Array>;
};

export async function loadVoiceModels({
  segmentationFile,
  embeddingFile,
  threads,
}: SpeakerSettings): Promise<VoiceModels> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1 };
  const segmentation = await Session.create(segmentationFile, options);
  const embedding = await Session.create(embeddingFile, { ...options, enableCpuMemArena: false });
  return {
    async segment(samples) {
      const input = new TensorOf('float32', samples, [1, 1, samples.length]);
      const { output } = await segmentation.run({ input });
      const { data, dims } = output as Tensor;
      const [, frames, count] = dims as [number, number, number];
      const scores = data as Float32Array;
      const classes = Uint8Array.from({ length: frames }, (_, frame) => {
        let best = 0;
        for (let i = 1; i < count; i++)
          if ((scores[frame * count + i] as number) > (scores[frame * count + best] as number)) best = i;
        return best;
      });
      return { classes };
    },
    async embed(samples) {
      const { features, frames } = filterBank(samples);
      const input_features = new TensorOf('float32', features, [1, frames, BANDS]);
      const { last_hidden_state } = await embedding.run({ input_features });
      return normalize((last_hidden_state as Tensor).data as Float32Array);
    },
  };
}

function normalize(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
