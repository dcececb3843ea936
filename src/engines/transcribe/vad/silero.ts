import type { Tensor } from 'onnxruntime-node';
import { SAMPLE_RATE } from '../transcription-engine.ts';

/** 32 ms, the only length that the model takes, and what it wants to hear of the chunk before. */
export const CHUNK_SAMPLES = 512;
const CONTEXT_SAMPLES = 64;

/** What the model remembers between two chunks. */
export type DetectorMemory = { heard: Float32Array; state: Float32Array };

/** Hears chunk by chunk whether somebody speaks. */
export type SpeechDetector = {
  /** From 0 to 1. A shorter chunk is filled up with silence. */
  next(chunk: Float32Array): Promise<number>;
  /** For another process that goes on from here. */
  memory(): DetectorMemory;
};

export type SileroModel = { start(memory?: DetectorMemory): SpeechDetector };

export async function loadSilero(file: string): Promise<SileroModel> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const session = await Session.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
  });
  const sr = new TensorOf('int64', [BigInt(SAMPLE_RATE)], []);
  return {
    start(memory) {
      const heard = memory?.heard.slice() ?? new Float32Array(CONTEXT_SAMPLES + CHUNK_SAMPLES);
      let state: Tensor = new TensorOf('float32', memory?.state.slice() ?? new Float32Array(2 * 128), [2, 1, 128]);
      return {
        async next(chunk) {
          heard.copyWithin(0, CHUNK_SAMPLES);
          heard.fill(0, CONTEXT_SAMPLES);
          heard.set(chunk, CONTEXT_SAMPLES);
          const input = new TensorOf('float32', heard.slice(), [1, heard.length]);
          const { output, stateN } = await session.run({ input, state, sr });
          state = stateN as Tensor;
          return (output as Tensor).data[0] as number;
        },
        memory: () => ({ heard, state: state.data as Float32Array }),
      };
    },
  };
}
