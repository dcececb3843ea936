import { SAMPLE_RATE, type TurnDetection, type TurnPart } from '../transcription-engine.ts';
import { CHUNK_SAMPLES } from './silero.ts';

/** A click is no voice. */
const ONSET_SAMPLES = Math.round(0.1 * SAMPLE_RATE);
/** A turn is probably over after half of the silence that ends it, and after this at the latest. */
const EAGER_SAMPLES_MAX = Math.round(0.25 * SAMPLE_RATE);

const samplesOf = (ms: number) => (ms / 1000) * SAMPLE_RATE;

/** Turns of a live session, followed beside its utterances. Places are in samples. */
export type FollowedTurns = {
  detection: TurnDetection;
  state: 'waiting' | 'speaking' | 'ending';
  /** Since when the chance of speech reaches `startThreshold`, or is below the other two. */
  onset?: number | undefined;
  quietSince?: number | undefined;
  silentSince?: number | undefined;
  /** When the turn was said to be probably over. */
  endingSince: number;
  /** What has happened since the state was handed over. */
  events: TurnPart[];
};

export function startTurns(detection: TurnDetection): FollowedTurns {
  return { detection, state: 'waiting', endingSince: 0, events: [] };
}

/** Adds a chunk that begins at `begin`; says whether the turn ends with it. */
export function noteTurn(turns: FollowedTurns, chance: number, begin: number): boolean {
  const { startThreshold, eagerEndThreshold, endThreshold, minSilenceMs, endTimeoutMs } = turns.detection;
  const at = begin + CHUNK_SAMPLES;
  turns.onset = chance >= startThreshold ? (turns.onset ?? begin) : undefined;
  turns.quietSince = chance < eagerEndThreshold ? (turns.quietSince ?? begin) : undefined;
  turns.silentSince = chance < endThreshold ? (turns.silentSince ?? begin) : undefined;
  const isVoice = turns.onset !== undefined && at - turns.onset >= ONSET_SAMPLES;

  if (turns.state === 'waiting') {
    if (isVoice) tell(turns, 'speaking', { event: 'start', at: turns.onset ?? begin });
    return false;
  }
  if (turns.state === 'ending' && isVoice) tell(turns, 'speaking', { event: 'resume', at: turns.onset ?? begin });
  const silence = samplesOf(minSilenceMs);
  if (turns.silentSince !== undefined && at - turns.silentSince >= silence) {
    tell(turns, 'waiting', { event: 'end', at: turns.silentSince, reason: 'threshold' });
    return true;
  }
  if (turns.state === 'speaking') {
    if (turns.quietSince !== undefined && at - turns.quietSince >= Math.min(EAGER_SAMPLES_MAX, silence / 2)) {
      turns.endingSince = at;
      tell(turns, 'ending', { event: 'eager_end', at: turns.quietSince });
    }
    return false;
  }
  if (endTimeoutMs === undefined || at - turns.endingSince < samplesOf(endTimeoutMs)) return false;
  tell(turns, 'waiting', { event: 'end', at, reason: 'timeout' });
  return true;
}

function tell(
  turns: FollowedTurns,
  state: FollowedTurns['state'],
  { at, ...rest }: Omit<TurnPart, 'kind' | 'seconds'> & { at: number },
): void {
  turns.state = state;
  turns.events.push({ kind: 'turn', ...rest, seconds: Math.round((at / SAMPLE_RATE) * 1000) / 1000 });
}
