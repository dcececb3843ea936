import { SAMPLE_RATE, type TurnDetection } from '../transcription-engine.ts';
import { ONSET_SAMPLES, PADDING_SAMPLES, type ReadSamples, SPEECH_ENDS, SPEECH_MIN } from './find-window.ts';
import { type FollowedTurns, noteTurn, startTurns } from './follow-turns.ts';
import { CHUNK_SAMPLES, type DetectorMemory, type SileroModel } from './silero.ts';

const samplesOf = (seconds: number) => Math.round(seconds * SAMPLE_RATE);
/** A pause after which an utterance is complete. */
const PAUSE_SAMPLES = samplesOf(0.6);
/** From here on an utterance ends at the shortest break, and a little later in any case. */
const LONG_SAMPLES = samplesOf(12);
const LONGEST_SAMPLES = samplesOf(15);

/** How far live audio was followed, in samples; any process can go on from it. */
export type FollowedSpeech = {
  /** Everything before it was heard. */
  at: number;
  /** The utterance before ends here. */
  since: number;
  isSpeaking: boolean;
  /** Where sound began that may become speech. */
  onset?: number | undefined;
  /** The utterance, with some silence around it; undefined while nobody speaks. */
  start?: number | undefined;
  end: number;
  /** The last sound of it. */
  speechEnd: number;
  /** Nothing more belongs to the utterance. */
  isOver: boolean;
  /** Where the client wants to know of turns. */
  turns?: FollowedTurns;
  memory?: DetectorMemory | undefined;
};

export function startFollowing(detection?: TurnDetection): FollowedSpeech {
  const turns = detection && { turns: startTurns(detection) };
  return { at: 0, since: 0, isSpeaking: false, end: 0, speechEnd: 0, isOver: false, ...turns };
}

/** Goes on up to `to`, or to the end of the utterance that is being spoken. */
export async function followSpeech(
  silero: SileroModel,
  read: ReadSamples,
  before: FollowedSpeech,
  to: number,
): Promise<FollowedSpeech> {
  const speech = before.isOver ? { ...before, ...nextUtterance(before) } : { ...before };
  if (before.turns) speech.turns = { ...before.turns, events: [] };
  const detector = silero.start(speech.memory);
  const from = speech.at;
  const samples = await read(from, to - from);
  while (speech.at + CHUNK_SAMPLES <= from + samples.length && !speech.isOver) {
    const chunk = samples.subarray(speech.at - from, speech.at - from + CHUNK_SAMPLES);
    const [chance = 0] = await detector.next(chunk);
    note(speech, chance);
  }
  speech.memory = detector.memory();
  return speech;
}

function nextUtterance({ end }: FollowedSpeech) {
  return { since: end, start: undefined, isOver: false };
}

function note(speech: FollowedSpeech, chance: number): void {
  const isSpeech = chance >= (speech.isSpeaking ? SPEECH_ENDS : SPEECH_MIN);
  const begin = speech.at;
  speech.at += CHUNK_SAMPLES;
  if (isSpeech) {
    speech.onset ??= begin;
    if (speech.at - speech.onset >= ONSET_SAMPLES) {
      speech.start ??= Math.max(speech.since, speech.onset - PADDING_SAMPLES);
      speech.isSpeaking = true;
      speech.speechEnd = speech.at;
    }
  } else {
    speech.isSpeaking = false;
    speech.onset = undefined;
  }
  const isTurnOver = speech.turns !== undefined && noteTurn(speech.turns, chance, begin);
  if (speech.start === undefined) return;
  const length = speech.at - speech.start;
  const isPaused = speech.at - speech.speechEnd >= PAUSE_SAMPLES;
  const isCut = length >= LONGEST_SAMPLES || (length >= LONG_SAMPLES && !isSpeech);
  speech.end = isCut ? speech.at : Math.min(speech.at, speech.speechEnd + PADDING_SAMPLES);
  speech.isOver = isPaused || isCut || (isTurnOver && !isSpeech);
}
