import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE, type TurnDetection, type TurnPart } from '../transcription-engine.ts';
import { noteTurn, startTurns } from './follow-turns.ts';
import { CHUNK_SAMPLES } from './silero.ts';

const DEFAULTS = { startThreshold: 0.5, eagerEndThreshold: 0.5, endThreshold: 0.33, minSilenceMs: 500 };

/** The turns of chances of speech that last some seconds each. */
function turnsOf(said: [chance: number, seconds: number][], detection: Partial<TurnDetection> = {}) {
  const turns = startTurns({ ...DEFAULTS, ...detection });
  let at = 0;
  for (const [chance, seconds] of said)
    for (const end = at + seconds * SAMPLE_RATE; at + CHUNK_SAMPLES <= end; at += CHUNK_SAMPLES)
      noteTurn(turns, chance, at);
  return turns.events.map(({ event, seconds, reason }: TurnPart) => [
    event,
    Math.round(seconds * 10) / 10,
    ...(reason ? [reason] : []),
  ]);
}

describe('a turn', () => {
  it('begins with a voice, is probably over after a short silence and over after a longer one', () => {
    expect(
      turnsOf([
        [0, 1],
        [0.9, 2],
        [0, 2],
      ]),
    ).toEqual([
      ['start', 1],
      ['eager_end', 3],
      ['end', 3, 'threshold'],
    ]);
  });

  it('goes on when the voice comes back before it is over', () => {
    expect(
      turnsOf([
        [0.9, 1],
        [0, 0.35],
        [0.9, 1],
        [0, 1],
      ]).map(([event]) => event),
    ).toEqual(['start', 'eager_end', 'resume', 'eager_end', 'end']);
  });

  it('ends by its timeout where it never becomes quite silent, and without one goes on', () => {
    const doubtful: [number, number][] = [
      [0.9, 1],
      [0.4, 3],
    ];
    expect(turnsOf(doubtful, { endTimeoutMs: 1000 })).toEqual([
      ['start', 0],
      ['eager_end', 1],
      ['end', 2.3, 'timeout'],
    ]);
    expect(turnsOf(doubtful)).toEqual([
      ['start', 0],
      ['eager_end', 1],
    ]);
  });

  it('follows the thresholds and the silence that the client asks for', () => {
    expect(turnsOf([[0.6, 2]], { startThreshold: 0.8 })).toEqual([]);
    const patient = turnsOf(
      [
        [0.9, 1],
        [0, 1.5],
        [0.9, 1],
      ],
      { minSilenceMs: 2000 },
    );
    expect(patient.map(([event]) => event)).toEqual(['start', 'eager_end', 'resume']);
    expect(
      turnsOf(
        [
          [0.9, 1],
          [0, 1],
        ],
        { minSilenceMs: 0 },
      ),
    ).toEqual([
      ['start', 0],
      ['end', 1, 'threshold'],
    ]);
  });

  it('does not begin with a click', () => {
    expect(
      turnsOf([
        [0, 1],
        [0.9, 0.06],
        [0, 1],
      ]),
    ).toEqual([]);
  });
});
