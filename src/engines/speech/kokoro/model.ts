import { type FileHandle, open } from 'node:fs/promises';
import type { Tensor } from 'onnxruntime-node';
import type { KokoroQuestion, KokoroSettings } from './questions.ts';
import { TOKENS_MAX } from './vocabulary.ts';

const STYLE_LENGTH = 256;
const STYLE_BYTES = STYLE_LENGTH * 4;
/** A voice has a style for each length of a piece. */
const VOICE_BYTES = TOKENS_MAX * STYLE_BYTES;

/** Kokoro as ONNX: ids and a style in, sound out. */
export async function loadKokoro({
  modelFile,
  voicesFile,
  threads,
}: KokoroSettings): Promise<(question: KokoroQuestion) => Promise<Float32Array>> {
  const { InferenceSession, Tensor: TensorOf } = await import('onnxruntime-node');
  const voices = await open(voicesFile);
  const session = await InferenceSession.create(modelFile, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  const [outputName = 'waveform'] = session.outputNames;
  const speed = new TensorOf('float32', Float32Array.of(1), [1]);
  return async ({ ids, voice }) => {
    // A mark at both ends, whose id is 0.
    const marked = BigInt64Array.from([0, ...ids, 0], BigInt);
    const style = await readStyle(voices, voice, ids.length);
    const output = await session.run({
      input_ids: new TensorOf('int64', marked, [1, marked.length]),
      style: new TensorOf('float32', style, [1, STYLE_LENGTH]),
      speed,
    });
    return (output[outputName] as Tensor).data as Float32Array;
  };
}

async function readStyle(voices: FileHandle, voice: number, length: number): Promise<Float32Array> {
  const style = new Float32Array(STYLE_LENGTH);
  const position = voice * VOICE_BYTES + Math.min(length, TOKENS_MAX - 1) * STYLE_BYTES;
  const { bytesRead } = await voices.read(new Uint8Array(style.buffer), 0, STYLE_BYTES, position);
  if (bytesRead !== STYLE_BYTES) throw new Error(`The file of voices has no voice ${voice}.`);
  return style;
}
