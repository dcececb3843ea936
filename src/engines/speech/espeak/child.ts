import { pathToFileURL } from 'node:url';
import { oneAtATime, serveParent } from '../../process/serve-parent.ts';
import type { EspeakLibrary, EspeakWorker } from './library.ts';
import { ESPEAK_SAMPLE_RATE, type EspeakPart, type EspeakRequest, type EspeakSettings } from './protocol.ts';

/** The first sound leaves early, the rest in fewer messages. */
const FIRST_SAMPLES = ESPEAK_SAMPLE_RATE / 10;
const NEXT_SAMPLES = ESPEAK_SAMPLE_RATE / 2;

// The only process that loads eSpeak NG. It shares no memory with the server: they exchange text and samples.
serveParent<EspeakSettings, EspeakRequest, EspeakPart>(async (settings) => {
  const { default: load } = await import(pathToFileURL(settings.library).href);
  const library: EspeakLibrary = await load();
  const worker = new library.eSpeakNGWorker();
  if (worker.get_samplerate() !== ESPEAK_SAMPLE_RATE) throw new Error('eSpeak NG has another sample rate here.');
  let current = '';
  // The first words take a third of a second longer than all others, so they are spoken here and dropped.
  speak(worker, 'a', () => undefined);
  return oneAtATime(({ kind, voice, text }, give) => {
    if (voice !== current) worker.set_voice(voice, '', 0, 0, 0);
    current = voice;
    if (kind === 'speak') speak(worker, text, give);
    else give(phonemesOf(library, worker, text));
  });
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
  // The caller owns the string.
  library._free(ptr);
  return phonemes;
}
