import type { Advance, Command, StepResult } from '../../../../packages/workflows/src/protocol.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { ChildRegistration } from '../port/engine.ts';
import { applyCommands, cutAfterEnd, isTerminal } from './commands.ts';
import { keepOrEndLease, releaseRun, renewLease } from './leases.ts';
import { LEASE_MS } from './limits.ts';
import { clearOfDeaths, forgiveDeath } from './lost-workers.ts';
import { flushBuffered, isTurnUnderWay, notifyRun } from './notify-run.ts';
import { admitByRate } from './rate-limits.ts';
import type { TurnToTake } from './sessions.ts';
import { beginStep, findHeld, finishAttempt, mayBeGranted } from './steps.ts';
import type { StepRow } from './tables.ts';
import { parseRunToken, parseStepToken } from './tokens.ts';
import { completeTurn, failTurn } from './turns.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export type Advanced =
  | { status: 'stale'; next?: TurnToTake }
  | {
      status: 'ok';
      run: RunRow;
      lastEventId: number;
      firstCommandEventId: number;
      granted: StepRow[];
      /** The open steps of the run. */
      steps: ReadonlyMap<number, StepRow>;
      next?: TurnToTake;
    };

export type AdvanceBy = {
  workspaceId: string;
  worker: string;
  /** Whether the worker has the code of this step. */
  canRun: (stepName: string) => boolean;
};

/** A turn that a worker has taken. */
export type TakenTurn = { advance: Advance; childOf: (command: Command) => ChildRegistration | undefined };

/** Applies the turns of one run that a worker took one after the other; after one that is stale all others are. */
export async function advanceRun(unit: WorkUnit, turns: TakenTurn[], by: AdvanceBy): Promise<Advanced[]> {
  const answers: Advanced[] = [];
  const endMs = turns.at(-1)?.advance.time_ms ?? 0;
  for (const turn of turns) {
    const agoMs = endMs - turn.advance.time_ms;
    if (answers.at(-1)?.status !== 'stale') answers.push(await takeTurn(unit, turn, by, agoMs));
    else {
      for (const result of turn.advance.step_results) await reportStep(unit, by.workspaceId, result);
      answers.push({ status: 'stale' });
    }
  }
  // A step that has ended meanwhile is not told to the worker that ran it.
  for (const answer of answers.slice(0, -1))
    if (answer.status === 'ok')
      answer.granted = answer.granted.filter((step) => answer.steps.has(step.scheduled_event_id));
  return answers;
}

/** Applies the end of a turn, often with the results of the steps that led to it. */
async function takeTurn(
  unit: WorkUnit,
  { advance, childOf }: TakenTurn,
  by: AdvanceBy,
  agoMs: number,
): Promise<Advanced> {
  const token = parseRunToken(advance.token);
  const run = token && (await unit.findRun(by.workspaceId, token.runId));
  if (!run || hasEnded(run.row.status)) return { status: 'stale' };
  const { row, moment } = run;
  run.moment = undefined;
  if (row.lease_seq !== token.leaseSeq || row.lease_worker === null) {
    forgiveDeath(run);
    // Another worker has the run now; the results of the steps still count.
    await applyResults(unit, run, advance.step_results);
    return { status: 'stale' };
  }
  if (advance.task_failure) {
    await applyResults(unit, run, advance.step_results);
    await failTurn(unit, run, advance.task_failure);
    return { status: 'stale' };
  }
  const steps = run.steps ?? (await unit.stepsOf(run));
  const isHeld = ({ token: held }: StepResult) => findHeld(steps, held) !== undefined;
  if (advance.base !== row.last_event_id || !advance.step_results.every(isHeld) || isTooEarlyToEnd(run, advance))
    return repeatTurn(unit, run, advance);

  run.moment = momentOf(unit, row, agoMs, moment);
  applyResultsInTurn(unit, run, steps, advance);
  const isTurn = row.turn_scheduled_id !== null || advance.step_results.length > 0 || advance.commands.length > 0;
  if (isTurn) completeTurn(unit, run, advance.time_ms);
  clearOfDeaths(unit, run);
  const firstCommandEventId = row.last_event_id + 1;
  const commands = cutAfterEnd(advance.commands);
  const lastEventId = row.last_event_id + commands.filter(({ type }) => type !== 'emit').length;
  const { scheduled } = await applyCommands(unit, run, commands, childOf);
  if (hasEnded(row.status)) return { status: 'ok', run: row, lastEventId, firstCommandEventId, granted: [], steps };

  flushBuffered(unit, run);
  const granted = advance.release || scheduled.length === 0 ? [] : await grant(unit, run, scheduled, advance, by);
  await keepOrEndLease(unit, run, lastEventId);
  unit.turnsToDeliver.delete(run);
  const answer = { status: 'ok', run: row, lastEventId, firstCommandEventId, granted, steps } as const;
  if (advance.release) {
    await releaseRun(unit, run);
    row.sticky_worker = null;
    return answer;
  }
  return isTurnUnderWay(row) ? { ...answer, next: turnToTake(unit, run, lastEventId) } : answer;
}

/**
 * Of several turns in a request all but the last were taken earlier, by the worker's clock: without this the steps
 * between them would seem to have taken no time. Never before what the server had recorded already.
 */
function momentOf(unit: WorkUnit, row: RunRow, agoMs: number, last: RunState['moment']): RunState['moment'] {
  const heardMs = last?.ms ?? (row.lease_until_ms ?? unit.nowMs) - LEASE_MS + 1;
  const ms = Math.max(heardMs, unit.nowMs - agoMs);
  return agoMs > 0 && ms < unit.nowMs ? { ms, micros: Math.max(ms * 1000, last?.micros ?? 0) } : undefined;
}

/** The worker missed an event: it must repeat the turn with the full history. */
async function repeatTurn(unit: WorkUnit, run: RunState, advance: Advance): Promise<Advanced> {
  const { row } = run;
  await applyResults(unit, run, advance.step_results);
  flushBuffered(unit, run);
  unit.turnsToDeliver.delete(run);
  row.sticky_worker = null;
  if (advance.release) {
    await releaseRun(unit, run);
    return { status: 'stale' };
  }
  if (row.turn_scheduled_id === null) {
    await keepOrEndLease(unit, run, 0);
    row.sticky_worker = null;
    return { status: 'stale' };
  }
  renewLease(unit, run);
  return { status: 'stale', next: turnToTake(unit, run, 0) };
}

function turnToTake(unit: WorkUnit, run: RunState, historyAfter: number): TurnToTake {
  const appended = unit.appendedTo(run);
  const first = appended[0]?.id ?? Number.POSITIVE_INFINITY;
  const events = first <= historyAfter + 1 ? appended.filter(({ id }) => id > historyAfter) : undefined;
  return { run: { ...run.row }, historyAfter, events };
}

/** A run must not end while acknowledged messages are unread. */
function isTooEarlyToEnd({ row }: RunState, { commands }: Advance): boolean {
  return commands.some(isTerminal) && (row.buffered ?? []).some(({ type }) => MESSAGES.has(type));
}

const MESSAGES: ReadonlySet<string> = new Set([
  'WORKFLOW_EXECUTION_SIGNALED',
  'WORKFLOW_EXECUTION_UPDATE_ADMITTED',
  'WORKFLOW_EXECUTION_CANCEL_REQUESTED',
]);

/** Results precede the turn they led to. Only successes come with a turn; a failure may be retried. */
function applyResultsInTurn(
  unit: WorkUnit,
  run: RunState,
  steps: ReadonlyMap<number, StepRow>,
  { step_results }: Advance,
): void {
  for (const result of step_results) {
    const step = findHeld(steps, result.token);
    if (!step) continue;
    let startedId = 0;
    for (const { type, attributes } of finishAttempt(unit, run, step, result)) {
      const linked = attributes.started_event_id === 0 ? { ...attributes, started_event_id: startedId } : attributes;
      startedId = unit.append(run, type, linked);
    }
  }
}

async function applyResults(unit: WorkUnit, run: RunState, results: StepResult[]): Promise<void> {
  if (results.length === 0) return;
  const steps = await unit.stepsOf(run);
  for (const result of results) {
    const step = findHeld(steps, result.token);
    if (step) notifyStepEnd(unit, run, step, result);
  }
}

/** The result of one step, without a turn. */
export async function reportStep(
  unit: WorkUnit,
  workspaceId: string,
  result: StepResult,
): Promise<{ status: 'ok' | 'stale' }> {
  const token = parseStepToken(result.token);
  const run = token && (await unit.findRun(workspaceId, token.runId));
  if (!run || hasEnded(run.row.status)) return { status: 'stale' };
  const step = findHeld(await unit.stepsOf(run), result.token);
  if (!step) return { status: 'stale' };
  notifyStepEnd(unit, run, step, result);
  return { status: 'ok' };
}

function notifyStepEnd(unit: WorkUnit, run: RunState, step: StepRow, result: StepResult): void {
  const events = finishAttempt(unit, run, step, result);
  if (events.length > 0) notifyRun(unit, run, events);
}

async function grant(
  unit: WorkUnit,
  run: RunState,
  scheduled: StepRow[],
  { want_steps: wanted }: Advance,
  { worker, canRun }: AdvanceBy,
): Promise<StepRow[]> {
  const granted: StepRow[] = [];
  for (const step of scheduled) {
    if (granted.length >= wanted) break;
    if (!canRun(step.name) || (step.options.rate_limit && !(await admitByRate(unit, run, step)))) continue;
    beginStep(unit, run, step, worker, mayBeGranted(step) ? 'granted' : 'leased');
    granted.push(step);
  }
  return granted;
}
