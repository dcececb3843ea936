import { open } from 'node:fs/promises';
import { readPcm } from '../../../src/engines/transcribe/read-pcm.ts';
import { framesFor, logMel } from '../../../src/engines/transcribe/whisper/mel.ts';
import { loadWhisper } from '../../../src/engines/transcribe/whisper/model.ts';
import { languageToken, START, TRANSCRIBE } from '../../../src/engines/transcribe/whisper/tokenizer.ts';
import { answer } from './answer.ts';

// The baseline: the same sessions on prepared windows, with tokens that are known before.
const [encoder = '', decoder = '', threads = '1'] = process.argv.slice(2);
const model = await loadWhisper({ encoder, decoder }, Number(threads));
const ANY_WORD = 1000;

type Window = { start: number; end: number };

answer({
  /** Seconds of work for all windows. */
  async transcribe({ pcmFile, windows, tokens }: { pcmFile: string; windows: Window[]; tokens: number }) {
    const file = await open(pcmFile, 'r');
    const mels: Float32Array[] = [];
    for (const { start, end } of windows) {
      const samples = await readPcm(file, start, end - start);
      mels.push(logMel(samples, model.framesOf(framesFor(samples.length))));
    }
    await file.close();
    const startedAt = performance.now();
    for (const mel of mels) {
      const decoding = model.decode(await model.hear(mel), false);
      await decoding.read([START, languageToken('en'), TRANSCRIBE]);
      for (let i = 0; i < tokens / mels.length; i++) await decoding.read([ANY_WORD + i]);
    }
    return (performance.now() - startedAt) / 1000;
  },
});
