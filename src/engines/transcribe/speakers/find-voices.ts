import { SAMPLE_RATE } from '../transcription-engine.ts';
import type { VoiceModels } from './models.ts';
import type { HeardVoice } from './protocol.ts';

const PIECE_SECONDS = 10;
/** The model hears ten seconds at a time. */
export const PIECE_SAMPLES = PIECE_SECONDS * SAMPLE_RATE;
/** Which voices each class of the model means: nobody, one of three, or two of them at once. */
const CLASSES = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2]];
/** A vector of less is no likeness. */
const EMBEDDED_SECONDS_MIN = 0.4;
/** Shorter gaps of a voice are breath. */
const GAP_SECONDS = 0.3;

/** The voices of a piece, each with its vector, made of where nobody else speaks. */
export async function findVoices(models: VoiceModels, samples: Float32Array, from: number): Promise<HeardVoice[]> {
  const whole = new Float32Array(PIECE_SAMPLES);
  whole.set(samples);
  const { classes } = await models.segment(whole);
  const frameSamples = PIECE_SAMPLES / classes.length;
  const voices: HeardVoice[] = [];
  for (const voice of [0, 1, 2]) {
    const isHeard = (frame: number) => CLASSES[classes[frame] ?? 0]?.includes(voice) === true;
    const isAlone = (frame: number) => isHeard(frame) && CLASSES[classes[frame] ?? 0]?.length === 1;
    const own = pick(samples, classes.length, frameSamples, isAlone);
    const seconds = own.length / SAMPLE_RATE;
    if (seconds < EMBEDDED_SECONDS_MIN) continue;
    const spans = findSpans(classes.length, isHeard).map(([first, last]): [number, number] => [
      (from + first * frameSamples) / SAMPLE_RATE,
      (from + last * frameSamples) / SAMPLE_RATE,
    ]);
    voices.push({ piece: from, embedding: await models.embed(own), seconds, spans });
  }
  return voices;
}

function pick(samples: Float32Array, frames: number, frameSamples: number, isWanted: (frame: number) => boolean) {
  const kept = new Float32Array(samples.length);
  let count = 0;
  for (let frame = 0; frame < frames; frame++) {
    if (!isWanted(frame)) continue;
    const piece = samples.subarray(Math.round(frame * frameSamples), Math.round((frame + 1) * frameSamples));
    kept.set(piece, count);
    count += piece.length;
  }
  return kept.slice(0, count);
}

/** From the first frame to the one behind the last, without the shortest gaps. */
function findSpans(frames: number, isHeard: (frame: number) => boolean): [number, number][] {
  const gap = (GAP_SECONDS / PIECE_SECONDS) * frames;
  const spans: [number, number][] = [];
  for (let frame = 0; frame < frames; frame++) {
    if (!isHeard(frame)) continue;
    const last = spans.at(-1);
    if (last && frame - last[1] <= gap) last[1] = frame + 1;
    else spans.push([frame, frame + 1]);
  }
  return spans;
}
