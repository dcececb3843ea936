import { readFile } from 'node:fs/promises';
import type { Tensor } from 'onnxruntime-node';
import { SAMPLE_RATE } from '../transcription-engine.ts';
import { joinChunks } from './join-chunks.ts';

/** 32 ms, the only length that the model takes, and what it wants to hear of the chunk before. */
export const CHUNK_SAMPLES = 512;
const CONTEXT_SAMPLES = 64;
const HEARD_SAMPLES = CONTEXT_SAMPLES + CHUNK_SAMPLES;

/** What the model remembers between two chunks. */
export type DetectorMemory = { heard: Float32Array; state: Float32Array };

/** Hears chunk by chunk whether somebody speaks. */
export type SpeechDetector = {
  /** From 0 to 1 for each chunk of the samples. A last shorter one is filled up with silence. */
  next(samples: Float32Array): Promise<Float32Array>;
  /** For another process that goes on from here. */
  memory(): DetectorMemory;
};

export type SileroModel = { start(memory?: DetectorMemory): SpeechDetector };

export async function loadSilero(file: string): Promise<SileroModel> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const model = await readFile(file);
  const joined = joinChunks(model);
  const session = await Session.create(joined ?? model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
  });
  const sr = joined ? {} : { sr: new TensorOf('int64', [BigInt(SAMPLE_RATE)], []) };
  return {
    start(memory) {
      let heard: Float32Array = memory?.heard.slice() ?? new Float32Array(HEARD_SAMPLES);
      let state: Tensor = new TensorOf('float32', memory?.state.slice() ?? new Float32Array(2 * 128), [2, 1, 128]);

      async function run(chunks: Float32Array): Promise<Float32Array> {
        const input = new TensorOf('float32', chunks, [chunks.length / HEARD_SAMPLES, HEARD_SAMPLES]);
        const { output, stateN } = await session.run({ input, state, ...sr });
        state = stateN as Tensor;
        heard = chunks.slice(-HEARD_SAMPLES);
        return (output as Tensor).data as Float32Array;
      }

      return {
        async next(samples) {
          const chunks = withContext(samples, heard);
          if (joined) return run(chunks);
          const chances = new Float32Array(chunks.length / HEARD_SAMPLES);
          for (let i = 0; i < chances.length; i++)
            chances.set(await run(chunks.slice(i * HEARD_SAMPLES, (i + 1) * HEARD_SAMPLES)), i);
          return chances;
        },
        memory: () => ({ heard, state: state.data as Float32Array }),
      };
    },
  };
}

/** Each chunk behind the last samples of the one before. */
function withContext(samples: Float32Array, before: Float32Array): Float32Array {
  const count = Math.ceil(samples.length / CHUNK_SAMPLES);
  const chunks = new Float32Array(count * HEARD_SAMPLES);
  for (let i = 0; i < count; i++) {
    const at = i * CHUNK_SAMPLES;
    const context = i === 0 ? before.subarray(-CONTEXT_SAMPLES) : samples.subarray(at - CONTEXT_SAMPLES, at);
    chunks.set(context, i * HEARD_SAMPLES);
    chunks.set(samples.subarray(at, at + CHUNK_SAMPLES), i * HEARD_SAMPLES + CONTEXT_SAMPLES);
  }
  return chunks;
}
