import type { ScheduleOverlapPolicy } from '../schema/schedules.ts';
import { createBudget, jitterOf, nextTime, type Timetable } from './next-times.ts';

export const OVERLAP = { skip: 1, bufferOne: 2, bufferAll: 3, cancelOther: 4, terminateOther: 5, allowAll: 6 } as const;

const BUFFERED_MAX = 1000;
/** How often to check whether the running execution has ended. */
const LOOK_AGAIN_MS = 1000;

export type ScheduleState = { handledMs: number; buffer: readonly number[] };

/** The next action of a schedule; `state` is stored with it. */
export type Step =
  | { do: 'start'; at: number; end?: 'cancel' | 'terminate'; state: ScheduleState }
  | { do: 'move'; end?: 'cancel'; state: ScheduleState }
  | { do: 'wait'; untilMs: number | undefined }
  | { do: 'pause'; because: 'too_expensive' };

export type Situation = {
  scheduleId: string;
  table: Timetable;
  overlap: ScheduleOverlapPolicy;
  catchupMs: number;
  state: ScheduleState;
  isRunning: boolean;
  nowMs: number;
};

/** One step at a time, so that each commits with its state: buffered starts, then due times, then the wait. */
export function planStep(situation: Situation): Step {
  const { table, scheduleId, state, isRunning, nowMs, catchupMs } = situation;
  const [waiting, ...rest] = state.buffer;
  if (waiting !== undefined && !isRunning) return { do: 'start', at: waiting, state: { ...state, buffer: rest } };
  const missed = nowMs - catchupMs - 1;
  const from = Math.max(state.handledMs, missed);
  const budget = createBudget();
  const at = nextTime(table, from, budget);
  const dueMs = at === undefined ? undefined : at + jitterOf(table, scheduleId, at, budget);
  if (budget.steps <= 0) return { do: 'pause', because: 'too_expensive' };
  if (at !== undefined && dueMs !== undefined && dueMs <= nowMs) return onTime({ ...situation, at });
  const lookMs = waiting === undefined ? undefined : nowMs + LOOK_AGAIN_MS;
  if (dueMs === undefined || lookMs === undefined) return { do: 'wait', untilMs: dueMs ?? lookMs };
  return { do: 'wait', untilMs: Math.min(dueMs, lookMs) };
}

/** Applies the overlap policy to a start that is due. */
export function onTime({
  at,
  overlap,
  isRunning,
  state,
}: Pick<Situation, 'overlap' | 'isRunning' | 'state'> & { at: number }): Extract<Step, { state: ScheduleState }> {
  const { buffer } = state;
  const moved = { handledMs: at, buffer };
  const isFree = !isRunning && buffer.length === 0;
  if (isFree || overlap === OVERLAP.allowAll) return { do: 'start', at, state: moved };
  switch (overlap) {
    case OVERLAP.skip:
      return { do: 'move', state: moved };
    case OVERLAP.bufferOne:
      return { do: 'move', state: { ...moved, buffer: buffer.length === 0 ? [at] : buffer } };
    case OVERLAP.bufferAll:
      return { do: 'move', state: { ...moved, buffer: [...buffer, at].slice(0, BUFFERED_MAX) } };
    case OVERLAP.cancelOther:
      return { do: 'move', end: 'cancel', state: { ...moved, buffer: [at] } };
    case OVERLAP.terminateOther:
      return { do: 'start', at, end: 'terminate', state: { ...moved, buffer: [] } };
  }
}
