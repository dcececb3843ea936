import { type FileHandle, open } from 'node:fs/promises';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { KokoroRequest, KokoroSettings } from './protocol.ts';
import { TOKENS_MAX } from './vocabulary.ts';

const STYLE_LENGTH = 256;
const STYLE_BYTES = STYLE_LENGTH * 4;
/** A voice has a style for each length of a piece. */
const VOICE_BYTES = TOKENS_MAX * STYLE_BYTES;
/** Offsets of the lengths whose styles are tried; neighbouring styles sound the same. */
const NEARBY = [0, -1, 1];

/** Only basic optimizations: the others make some sentences overflow in half precision, and nothing faster. */
export function sessionOptions(threads: number): InferenceSession.SessionOptions {
  return { intraOpNumThreads: threads, interOpNumThreads: 1, graphOptimizationLevel: 'basic' };
}

/** Kokoro as ONNX: ids and a style in, sound out. */
export async function loadKokoro({
  modelFile,
  voicesFile,
  threads,
}: KokoroSettings): Promise<(request: KokoroRequest) => Promise<Float32Array>> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const voices = await open(voicesFile);
  const session = await Session.create(modelFile, sessionOptions(threads));
  const [outputName = 'waveform'] = session.outputNames;
  const speed = new TensorOf('float32', Float32Array.of(1), [1]);
  return async ({ ids, voice }) => {
    // A mark at both ends, whose id is 0.
    const marked = BigInt64Array.from([0, ...ids, 0], BigInt);
    for (const distance of NEARBY) {
      const style = await readStyle(voices, voice, ids.length + distance);
      const output = await session.run({
        input_ids: new TensorOf('int64', marked, [1, marked.length]),
        style: new TensorOf('float32', style, [1, STYLE_LENGTH]),
        speed,
      });
      const samples = (output[outputName] as Tensor).data as Float32Array;
      if (isSound(samples)) return samples;
    }
    throw new Error(`A sentence of ${ids.length} sounds overflows in voice ${voice}.`);
  };
}

/** Half precision may overflow; then not one sample is a number. */
function isSound(samples: Float32Array): boolean {
  return samples.every(Number.isFinite);
}

async function readStyle(voices: FileHandle, voice: number, length: number): Promise<Float32Array> {
  const style = new Float32Array(STYLE_LENGTH);
  const row = Math.min(Math.max(length, 0), TOKENS_MAX - 1);
  const position = voice * VOICE_BYTES + row * STYLE_BYTES;
  const { bytesRead } = await voices.read(new Uint8Array(style.buffer), 0, STYLE_BYTES, position);
  if (bytesRead !== STYLE_BYTES) throw new Error(`The file of voices has no voice ${voice}.`);
  return style;
}
