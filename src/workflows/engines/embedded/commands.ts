import type { Command, Json } from '../../../../packages/workflows/src/protocol.ts';
import type { ChildRegistration } from '../port/engine.ts';
import { cancelStep } from './cancel-step.ts';
import { cancelChild, startChild } from './children.ts';
import { continueAsNew } from './continue-as-new.ts';
import { emit } from './custom-events.ts';
import type { Effect } from './effects.ts';
import { endRun } from './end-run.ts';
import { signalFromRun } from './signals.ts';
import { scheduleStep } from './steps.ts';
import type { StepRow } from './tables.ts';
import { cancelTimer, startTimer } from './timers.ts';
import { completeUpdate } from './updates.ts';
import type { RunState, WorkUnit } from './work-unit.ts';

export type Applied = { scheduled: StepRow[] };

/** Every command except `emit` appends one event, in order, with no other events between them. */
export async function applyCommands(
  unit: WorkUnit,
  run: RunState,
  commands: Command[],
  childOf: (command: Command) => ChildRegistration | undefined,
): Promise<Applied> {
  const scheduled: StepRow[] = [];
  const effects: Effect[] = [];
  let ending: Terminal | undefined;
  for (const command of commands) {
    if (isTerminal(command)) ending = command;
    else if (command.type === 'schedule_step') scheduled.push(scheduleStep(unit, run, command));
    else effects.push(...(await applyCommand(unit, run, command, childOf)));
  }
  if (!ending) for (const effect of effects) await effect(false);
  else {
    // The end is the last event of a run, so it gets no events about its other commands.
    for (const effect of effects) await effect(true);
    await applyTerminal(unit, run, ending);
  }
  return { scheduled };
}

type Terminal = Extract<Command, { type: 'complete' | 'fail' | 'cancelled' | 'continue_as_new' }>;

/** Commands after the one that ends the run are ignored. */
export function cutAfterEnd(commands: Command[]): Command[] {
  const end = commands.findIndex(isTerminal);
  return end === -1 ? commands : commands.slice(0, end + 1);
}

export function isTerminal(command: Command): command is Terminal {
  return ['complete', 'fail', 'cancelled', 'continue_as_new'].includes(command.type);
}

async function applyTerminal(unit: WorkUnit, run: RunState, command: Terminal): Promise<void> {
  switch (command.type) {
    case 'complete':
      return endRun(unit, run, { status: 'COMPLETED', result: command.result });
    case 'fail':
      return endRun(unit, run, { status: 'FAILED', failure: command.failure });
    case 'cancelled':
      return endRun(unit, run, { status: 'CANCELED', reason: command.reason });
    case 'continue_as_new':
      return continueAsNew(unit, run, command);
  }
}

async function applyCommand(
  unit: WorkUnit,
  run: RunState,
  command: Exclude<Command, Terminal | { type: 'schedule_step' }>,
  childOf: (command: Command) => ChildRegistration | undefined,
): Promise<Effect[]> {
  switch (command.type) {
    case 'cancel_step':
      return cancelStep(unit, run, command.seq);
    case 'start_timer':
      startTimer(unit, run, command);
      return [];
    case 'cancel_timer':
      await cancelTimer(unit, run, command.seq);
      return [];
    case 'start_child':
      return [startChild(unit, run, command, childOf(command))];
    case 'cancel_child':
      return [await cancelChild(unit, run, command.seq)];
    case 'signal_execution':
      return [signalFromRun(unit, run, command)];
    case 'record_marker':
      unit.append(run, 'MARKER_RECORDED', {
        marker_name: command.name,
        details: command.details,
        ...(command.seq === undefined ? {} : { seq: command.seq }),
      });
      return [];
    case 'complete_update':
      await completeUpdate(unit, run, command);
      return [];
    case 'upsert_search_keys':
      unit.append(run, 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES', { search_keys: command.keys as Json });
      await unit.setSearchKeys(run, command.keys);
      return [];
    case 'emit':
      await emit(unit, run, [command]);
      return [];
  }
}
