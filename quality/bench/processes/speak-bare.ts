import { readFileSync } from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { sessionOptions } from '../../../src/engines/speech/kokoro/model.ts';
import { answer } from './answer.ts';

// The baseline: onnxruntime on prepared tensors, one sentence after the other.
const [modelFile = '', voicesFile = '', threads = '1'] = process.argv.slice(2);
const STYLE_LENGTH = 256;
const VOICE_LENGTH = 510 * STYLE_LENGTH;
const session = await InferenceSession.create(modelFile, sessionOptions(Number(threads)));
const voices = readFileSync(voicesFile);
const styles = new Float32Array(voices.buffer, voices.byteOffset, voices.byteLength / 4);

answer({
  /** Seconds of work for each second of audio. */
  async speak({ sentences, voice }: { sentences: number[][]; voice: number }): Promise<number> {
    const feeds = sentences.map((ids) => {
      const from = voice * VOICE_LENGTH + ids.length * STYLE_LENGTH;
      return {
        input_ids: new Tensor('int64', BigInt64Array.from([0, ...ids, 0], BigInt), [1, ids.length + 2]),
        style: new Tensor('float32', styles.slice(from, from + STYLE_LENGTH), [1, STYLE_LENGTH]),
        speed: new Tensor('float32', Float32Array.of(1), [1]),
      };
    });
    const startedAt = performance.now();
    let samples = 0;
    for (const feed of feeds) samples += (await session.run(feed)).waveform?.size ?? 0;
    return (performance.now() - startedAt) / 1000 / (samples / 24_000);
  },
});
