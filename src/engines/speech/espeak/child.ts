import { pathToFileURL } from 'node:url';
import { serveQuestions } from '../process/serve-questions.ts';
import type { EspeakLibrary, EspeakWorker } from './library.ts';
import { ESPEAK_SAMPLE_RATE, type EspeakAnswer, type EspeakQuestion, type EspeakSettings } from './questions.ts';

// The only process that loads eSpeak NG. It shares no memory with the server: they send each other text and sound.

/** The first sound leaves soon, what follows in fewer messages. */
const FIRST_SAMPLES = ESPEAK_SAMPLE_RATE / 10;
const NEXT_SAMPLES = ESPEAK_SAMPLE_RATE / 2;

const settings = JSON.parse(process.argv[2] ?? '{}') as EspeakSettings;

serveQuestions<EspeakQuestion, EspeakAnswer>(async () => {
  const { default: load } = await import(pathToFileURL(settings.library).href);
  const library: EspeakLibrary = await load();
  const worker = new library.eSpeakNGWorker();
  if (worker.get_samplerate() !== ESPEAK_SAMPLE_RATE) throw new Error('eSpeak NG has another sample rate here.');
  let current = '';
  // The first words of a process take a third of a second longer than all others, so they are said to nobody.
  speak(worker, 'a', () => undefined);
  return ({ kind, voice, text }, give) => {
    if (voice !== current) worker.set_voice(voice, '', 0, 0, 0);
    current = voice;
    if (kind === 'speak') speak(worker, text, give);
    else give(phonemesOf(library, worker, text));
  };
});

function speak(worker: EspeakWorker, text: string, give: (samples: Float32Array) => void): void {
  let held: Int16Array[] = [];
  let count = 0;
  let isFirst = true;
  const flush = () => {
    if (count > 0) give(toFloats(held, count));
    held = [];
    count = 0;
    isFirst = false;
  };
  worker.synthesize(text, (samples) => {
    if (samples && samples.length > 0) {
      held.push(samples);
      count += samples.length;
      if (count >= (isFirst ? FIRST_SAMPLES : NEXT_SAMPLES)) flush();
    }
    return false;
  });
  flush();
}

function toFloats(pieces: Int16Array[], count: number): Float32Array {
  const floats = new Float32Array(count);
  let at = 0;
  for (const piece of pieces) for (const sample of piece) floats[at++] = sample / 32_768;
  return floats;
}

function phonemesOf(library: EspeakLibrary, worker: EspeakWorker, text: string): string {
  const { ptr } = worker.convert_to_phonemes(text, true);
  const end = library.HEAPU8.indexOf(0, ptr);
  const phonemes = new TextDecoder().decode(library.HEAPU8.subarray(ptr, end));
  // The library leaves the string to whoever asked for it.
  library._free(ptr);
  return phonemes;
}
