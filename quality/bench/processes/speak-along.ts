import { createEspeakProcess, createKokoroEngine } from '../../../src/engines/speech/index.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import { answer } from './answer.ts';

// One endless speech synthesis beside other measurements, on the cores that this process was given.
const [modelFile = '', voicesFile = ''] = process.argv.slice(2);
const TEXT = 'The keeper lit the lamp. A ship answered him. ';
const log = createLog('silent');
const espeak = createEspeakProcess({ log });
const kokoro = createKokoroEngine({ modelFile, voicesFile, espeak, log, threads: 1 });
let speaking: AbortController | undefined;
let samples = 0;

answer({
  /** Resolves with the first audio. */
  async begin(): Promise<void> {
    speaking = new AbortController();
    const stream = kokoro.speech.speak({ text: TEXT.repeat(500), voice: 'af_heart' }, speaking.signal);
    const pieces = stream[Symbol.asyncIterator]();
    await pieces.next();
    samples = 0;
    void listen(pieces);
  },
  /** Seconds of audio since the first chunk. */
  end(): number {
    speaking?.abort(new Error('enough'));
    return samples / kokoro.speech.sampleRate;
  },
});

async function listen(pieces: AsyncIterator<Float32Array>): Promise<void> {
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) samples += next.value.length;
  } catch (error) {
    if (!speaking?.signal.aborted) throw error;
  }
}
