import type { HeardSegment, HeardWord } from '../protocol.ts';
import type { SpeakerTurn } from './group-voices.ts';

/** A word between two turns belongs to the nearer one. */
const NEAR_SECONDS = 1;

export type LabelledSegment = HeardSegment & { speaker: string | undefined };

/** Each segment with its speaker; one in which the speaker changes is cut there. */
export function labelSegments(segments: readonly HeardSegment[], turns: readonly SpeakerTurn[]): LabelledSegment[] {
  return segments.flatMap((segment) => {
    if (segment.words.length === 0) return [{ ...segment, speaker: speakerAt(segment, turns) }];
    const runs: { speaker: string | undefined; words: HeardWord[] }[] = [];
    for (const word of segment.words) {
      const last = runs.at(-1);
      // A word that nobody seems to say goes on with the one before it.
      const speaker = speakerAt(word, turns) ?? last?.speaker;
      if (last && last.speaker === speaker) last.words.push(word);
      else runs.push({ speaker, words: [word] });
    }
    return runs.map(({ speaker, words }, index) => ({
      text: words.map(({ text }) => text).join(''),
      start: index === 0 ? segment.start : (words[0] as HeardWord).start,
      end: index === runs.length - 1 ? segment.end : (words.at(-1) as HeardWord).end,
      score: segment.score,
      words,
      speaker,
    }));
  });
}

/** Who speaks for most of this time, or nearest to it. */
function speakerAt({ start, end }: { start: number; end: number }, turns: readonly SpeakerTurn[]): string | undefined {
  const shares = new Map<string, number>();
  let near: { speaker: string; distance: number } | undefined;
  for (const turn of turns) {
    if (turn.start > end + NEAR_SECONDS) break;
    const shared = Math.min(end, turn.end) - Math.max(start, turn.start);
    if (shared > 0) shares.set(turn.speaker, (shares.get(turn.speaker) ?? 0) + shared);
    else if (-shared <= NEAR_SECONDS && -shared < (near?.distance ?? NEAR_SECONDS))
      near = { speaker: turn.speaker, distance: -shared };
  }
  let best: string | undefined;
  for (const [speaker, share] of shares) if (best === undefined || share > (shares.get(best) ?? 0)) best = speaker;
  return best ?? near?.speaker;
}
