import { open } from 'node:fs/promises';
import type { LookReply, LookRequest } from './protocol.ts';
import { readPcm } from './read-pcm.ts';
import { type FollowedSpeech, followSpeech } from './vad/follow-speech.ts';
import { CHUNK_SAMPLES, type SileroModel } from './vad/silero.ts';

/** An utterance, in samples. */
export type Utterance = { start: number; end: number; speechEnd: number; isOver: boolean };

/** Follows the audio, and hears the utterance that is being spoken if there is more of it than before. */
export async function lookAt(
  silero: SileroModel,
  { pcmFile, to, isFinal, speech: before, heardUntil }: LookRequest,
  hear: (samples: Float32Array, utterance: Utterance) => Promise<LookReply['heard']>,
): Promise<LookReply> {
  const file = await open(pcmFile, 'r');
  try {
    const read = (at: number, count: number) => readPcm(file, at, Math.min(count, to - at));
    const speech = await followSpeech(silero, read, before, to);
    if (isFinal && !speech.isOver) finish(speech, to);
    const { start, end, speechEnd, isOver } = speech;
    if (start === undefined || end - heardUntil < CHUNK_SAMPLES) return { speech };
    const heard = await hear(await read(start, end - start), { start, end, speechEnd, isOver });
    return heard ? { speech, heard } : { speech };
  } finally {
    await file.close();
  }
}

function finish(speech: FollowedSpeech, to: number): void {
  speech.at = to;
  if (speech.start === undefined) return;
  speech.isOver = true;
  speech.end = Math.max(speech.end, speech.isSpeaking ? to : speech.end);
}
