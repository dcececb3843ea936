import { ALIKE_MIN, cosine, KNOWN_MIN, type SpeakerTurn } from './group-voices.ts';
import type { HeardVoice } from './protocol.ts';

/** A shorter voice is too little to be sure that somebody new speaks. */
const NEW_SECONDS_MIN = 1.2;
/** Beyond that voices go to the one that they are most like. */
const SPEAKERS_MAX = 32;

export type KnownVoice = { name: string; embedding: Float32Array };

export type FollowedVoices = {
  /** Who speaks when. A speaker keeps the name for the whole session. */
  add(voices: readonly HeardVoice[]): SpeakerTurn[];
};

type Speaker = { name: string; sum: Float32Array; isKnown: boolean };

/** Speakers of a live session, in which nothing is known of what comes later. */
export function followVoices(known: readonly KnownVoice[]): FollowedVoices {
  const speakers: Speaker[] = known.map(({ name, embedding }) => ({ name, sum: embedding.slice(), isKnown: true }));
  let count = 0;

  function nearest(embedding: Float32Array, taken: ReadonlySet<Speaker>) {
    let best: { speaker: Speaker; likeness: number } | undefined;
    for (const speaker of speakers) {
      if (taken.has(speaker)) continue;
      const likeness = cosine(speaker.sum, embedding);
      if (!best || likeness > best.likeness) best = { speaker, likeness };
    }
    return best;
  }

  function speakerOf({ embedding, seconds }: HeardVoice, taken: ReadonlySet<Speaker>): Speaker {
    const best = nearest(embedding, taken);
    const isAlike = best !== undefined && best.likeness >= (best.speaker.isKnown ? KNOWN_MIN : ALIKE_MIN);
    const mayBeNew = speakers.length < SPEAKERS_MAX && seconds >= NEW_SECONDS_MIN;
    if (best && (isAlike || (!mayBeNew && !best.speaker.isKnown))) return best.speaker;
    const speaker = { name: `speaker_${++count}`, sum: new Float32Array(embedding.length), isKnown: false };
    speakers.push(speaker);
    return speaker;
  }

  return {
    add(voices) {
      const turns: SpeakerTurn[] = [];
      const taken = new Map<number, Set<Speaker>>();
      // Long ones first: they are sure, and two voices of one piece are never one speaker.
      for (const voice of [...voices].sort((a, b) => b.seconds - a.seconds)) {
        const others = taken.get(voice.piece) ?? new Set();
        taken.set(voice.piece, others);
        const speaker = speakerOf(voice, others);
        others.add(speaker);
        for (const [i, value] of voice.embedding.entries())
          speaker.sum[i] = (speaker.sum[i] as number) + value * voice.seconds;
        turns.push(...voice.spans.map(([start, end]) => ({ start, end, speaker: speaker.name })));
      }
      return turns.sort((a, b) => a.start - b.start);
    },
  };
}
