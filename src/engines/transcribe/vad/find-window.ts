import { SAMPLE_RATE } from '../transcription-engine.ts';
import { CHUNK_SAMPLES, type SileroModel } from './silero.ts';

export const SPEECH_MIN = 0.5;
/** Speech goes on until it is clearly over. */
export const SPEECH_ENDS = 0.35;
const samplesOf = (seconds: number) => Math.round(seconds * SAMPLE_RATE);
/** A click is no speech. */
export const ONSET_SAMPLES = samplesOf(0.1);
/** A pause that a window may end in. */
const PAUSE_SAMPLES = samplesOf(0.3);
/** After such a silence the window ends, however short it is. */
const SILENCE_SAMPLES = samplesOf(6);
export const PADDING_SAMPLES = samplesOf(0.3);
const WINDOW_SAMPLES = samplesOf(29);
/** Where nobody pauses, the window ends at the quietest place of its last seconds. */
const LAST_SAMPLES = samplesOf(6);
/** So much is searched in one turn. */
const SEARCH_SAMPLES = samplesOf(120);

/** So much is heard at once. */
const BLOCK_SAMPLES = CHUNK_SAMPLES * 64;

/** Reads samples of the audio; fewer at its end. */
export type ReadSamples = (from: number, count: number) => Promise<Float32Array>;

/** Places in samples. Without a window nobody speaks before `next`. */
export type FoundWindow = { window: { start: number; end: number } | undefined; next: number };

/** The next part of the audio in which somebody speaks, cut at a pause. */
export async function findWindow(
  silero: SileroModel,
  read: ReadSamples,
  from: number,
  total: number,
): Promise<FoundWindow> {
  const detector = silero.start();
  let start: number | undefined;
  let onset: number | undefined;
  let speechEnd = 0;
  let isSpeaking = false;
  let cut: number | undefined;
  const quiet: { at: number; chance: number }[] = [];
  let chances: Float32Array = new Float32Array(0);
  let block = 0;
  for (let at = from; at < total; at += CHUNK_SAMPLES) {
    if (block === chances.length) {
      const samples = await read(at, BLOCK_SAMPLES);
      if (samples.length === 0) break;
      chances = await detector.next(samples);
      block = 0;
    }
    const chance = chances[block++] ?? 0;
    const isSpeech = chance >= (isSpeaking ? SPEECH_ENDS : SPEECH_MIN);
    if (isSpeech) {
      onset ??= at;
      if (at + CHUNK_SAMPLES - onset >= ONSET_SAMPLES) {
        start ??= Math.max(from, onset - PADDING_SAMPLES);
        isSpeaking = true;
        speechEnd = at + CHUNK_SAMPLES;
      }
    } else {
      isSpeaking = false;
      onset = undefined;
    }
    if (start === undefined) {
      if (at - from >= SEARCH_SAMPLES && onset === undefined) return { window: undefined, next: at };
      continue;
    }
    if (!isSpeech && at - speechEnd >= PAUSE_SAMPLES) cut = speechEnd + PAUSE_SAMPLES;
    if (at - start >= WINDOW_SAMPLES - LAST_SAMPLES) quiet.push({ at, chance });
    if (at - speechEnd >= SILENCE_SAMPLES) break;
    if (at + CHUNK_SAMPLES - start >= WINDOW_SAMPLES) {
      const end =
        isSpeaking || onset !== undefined ? (cut ?? quietest(quiet)) : Math.min(at, speechEnd + PADDING_SAMPLES);
      return { window: { start, end }, next: end };
    }
  }
  if (start === undefined) return { window: undefined, next: total };
  const end = Math.min(total, speechEnd + PADDING_SAMPLES);
  return { window: { start, end }, next: end };
}

function quietest(places: readonly { at: number; chance: number }[]): number {
  let best = places[0] ?? { at: 0, chance: 1 };
  for (const place of places) if (place.chance <= best.chance) best = place;
  return best.at;
}
