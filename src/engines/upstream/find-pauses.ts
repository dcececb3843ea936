import { SAMPLE_RATE } from '../transcribe/transcription-engine.ts';

const FRAME = SAMPLE_RATE / 50;
/** A pause after which an utterance is complete, and the shortest sound that is one. */
const PAUSE_FRAMES = 30;
const SPEECH_FRAMES_MIN = 5;
/** What is kept before speech begins, so that its first sound is not lost. */
const LEAD_FRAMES = 15;
const UTTERANCE_FRAMES_MAX = 20 * 50;
const LOUDNESS_MIN = 0.006;
const ABOVE_NOISE = 3;
/** How fast the noise is believed to grow, for each frame. */
const NOISE_GROWTH = 1.004;

export type Utterance = { samples: Float32Array; start: number; end: number };

export type PauseFinder = {
  /** The utterances that these samples complete. */
  take(samples: Float32Array): Utterance[];
  /** What was said so far, as if it were complete. */
  flush(): Utterance | undefined;
};

/** Cuts sound at pauses, by its loudness against the noise around it. */
export function createPauseFinder(): PauseFinder {
  let rest = new Float32Array(0);
  let frames: Float32Array[] = [];
  let read = 0;
  let noise = LOUDNESS_MIN / ABOVE_NOISE;
  let loud = 0;
  let quiet = 0;

  function cut(): Utterance | undefined {
    const [taken, wasSpeech] = [frames, loud >= SPEECH_FRAMES_MIN];
    const end = (read * FRAME) / SAMPLE_RATE;
    [frames, loud, quiet] = [[], 0, 0];
    if (!wasSpeech) return undefined;
    const samples = new Float32Array(taken.length * FRAME);
    for (const [at, frame] of taken.entries()) samples.set(frame, at * FRAME);
    return { samples, start: end - samples.length / SAMPLE_RATE, end };
  }

  function add(frame: Float32Array): Utterance | undefined {
    const loudness = Math.sqrt(frame.reduce((sum, sample) => sum + sample * sample, 0) / FRAME);
    const isLoud = loudness > Math.max(LOUDNESS_MIN, noise * ABOVE_NOISE);
    noise = Math.min(loudness, noise * NOISE_GROWTH) || noise;
    read += 1;
    frames.push(frame);
    if (isLoud) [loud, quiet] = [loud + 1, 0];
    else quiet += 1;
    if (loud === 0 && frames.length > LEAD_FRAMES) frames.shift();
    const isComplete = loud > 0 && (quiet >= PAUSE_FRAMES || frames.length >= UTTERANCE_FRAMES_MAX);
    return isComplete ? cut() : undefined;
  }

  return {
    take(samples) {
      const all = new Float32Array(rest.length + samples.length);
      all.set(rest);
      all.set(samples, rest.length);
      const found: Utterance[] = [];
      let at = 0;
      for (; at + FRAME <= all.length; at += FRAME) {
        const utterance = add(all.slice(at, at + FRAME));
        if (utterance) found.push(utterance);
      }
      rest = all.slice(at);
      return found;
    },
    flush: cut,
  };
}
