import { expect, it } from 'vitest';
import { parseTimetable } from './parse-timetable.ts';
import { OVERLAP, planStep, type Situation, type Step } from './plan-starts.ts';

const MINUTE = 60_000;
const now = Date.UTC(2026, 0, 1, 12, 0, 30);
const last = now - 30_000;
const situation = (more: Partial<Situation> = {}): Situation => ({
  scheduleId: 's',
  table: parseTimetable({ cron_expressions: ['* * * * *'] }),
  overlap: OVERLAP.skip,
  catchupMs: 365 * 86_400_000,
  state: { handledMs: last - 1, buffer: [] },
  isRunning: false,
  nowMs: now,
  ...more,
});
const running = (overlap: Situation['overlap'], buffer: number[] = []) =>
  planStep(situation({ overlap, isRunning: true, state: { handledMs: last - 1, buffer } }));
const moved = (buffer: number[]) => ({ handledMs: last, buffer });

it('starts what has come, then waits for the next', () => {
  const step = planStep(situation());
  expect(step).toEqual({ do: 'start', at: last, state: moved([]) });
  const after = (step as Extract<Step, { do: 'start' }>).state;
  expect(planStep(situation({ state: after }))).toEqual({ do: 'wait', untilMs: last + MINUTE });
});

it('does with what comes while another runs as its policy says', () => {
  expect(running(OVERLAP.skip)).toEqual({ do: 'move', state: moved([]) });
  expect(running(OVERLAP.bufferOne)).toEqual({ do: 'move', state: moved([last]) });
  expect(running(OVERLAP.bufferOne, [1])).toEqual({ do: 'move', state: moved([1]) });
  expect(running(OVERLAP.bufferAll, [1])).toEqual({ do: 'move', state: moved([1, last]) });
  expect(running(OVERLAP.cancelOther, [1])).toEqual({ do: 'move', end: 'cancel', state: moved([last]) });
  expect(running(OVERLAP.terminateOther)).toEqual({ do: 'start', at: last, end: 'terminate', state: moved([]) });
  expect(running(OVERLAP.allowAll)).toEqual({ do: 'start', at: last, state: moved([]) });
});

it('starts what waited as soon as nothing runs, and looks again while something does', () => {
  const state = { handledMs: last, buffer: [1, 2] };
  expect(planStep(situation({ state }))).toEqual({ do: 'start', at: 1, state: { handledMs: last, buffer: [2] } });
  expect(planStep(situation({ state, isRunning: true }))).toEqual({ do: 'wait', untilMs: now + 1000 });
});

it('makes up for what was missed, as far back as the catch-up window', () => {
  const state = { handledMs: now - 3_600_000, buffer: [] };
  expect(planStep(situation({ state }))).toMatchObject({ do: 'start', at: now - 3_600_000 + 30_000 });
  expect(planStep(situation({ state, catchupMs: 90_000 }))).toMatchObject({ do: 'start', at: last - MINUTE });
});

it('waits for nothing when nothing is to come', () => {
  const table = parseTimetable({ cron_expressions: ['* * * * *'], end_at: '2020-01-01T00:00:00Z' });
  expect(planStep(situation({ table }))).toEqual({ do: 'wait', untilMs: undefined });
});
