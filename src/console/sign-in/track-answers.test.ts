import { describe, expect, it } from 'vitest';
import { trackAnswers } from './track-answers.ts';

function open() {
  const clock = { nowMs: 1_000_000 };
  const answers = trackAnswers(() => clock.nowMs);
  return { answers, clock };
}

describe('answers of a provider', () => {
  it('one session without an answer is asked about after 1, 2, 4 … 60 seconds, and nobody waits for it', () => {
    const { answers, clock } = open();
    expect(answers.plan('a')).toBe('wait');
    const waits: number[] = [];
    for (let misses = 0; misses < 9; misses++) {
      answers.noteSilence('a');
      const since = clock.nowMs;
      while (answers.plan('a') === 'leave') clock.nowMs += 500;
      waits.push((clock.nowMs - since) / 1000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('a try is made once for each wait, however many ask', () => {
    const { answers, clock } = open();
    answers.noteSilence('a');
    clock.nowMs += 1000;
    expect([answers.plan('a'), answers.plan('a')]).toEqual(['try', 'leave']);
  });

  it('one session without an answer does not keep others from being asked about; three in a row do', () => {
    const { answers, clock } = open();
    answers.noteSilence('a');
    expect(answers.plan('b')).toBe('wait');
    answers.noteSilence('b');
    answers.noteSilence('c');
    expect(answers.plan('d')).toBe('leave');
    clock.nowMs += 60_000;
    expect([answers.plan('d'), answers.plan('e')]).toEqual(['try', 'leave']);
    answers.noteAnswer('d', clock.nowMs);
    expect(answers.plan('e')).toBe('wait');
    expect(answers.askedAt('d')).toBe(clock.nowMs);
  });

  it('remembers a bounded number of sessions', () => {
    const { answers } = open();
    for (let at = 0; at <= 10_000; at++) answers.noteAnswer(`s${at}`, 1 + at);
    expect(answers.askedAt('s0')).toBe(0);
    expect(answers.askedAt('s10000')).toBe(10_001);
  });
});
