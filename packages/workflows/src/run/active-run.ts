import type { AnyStep, AnyWorkflow, Log } from '../definitions.ts';
import type { Command, CustomTaskEvent, HistoryEvent, Json, WorkflowTask } from '../protocol.ts';
import type { OpenCommand, Outcome } from './open-commands.ts';
import type { Scope, Where } from './scope.ts';
import type { Random } from './seeded-random.ts';

export type RunInfo = Pick<WorkflowTask, 'execution_id' | 'run_id' | 'workflow_name'>;

/** A local step without a result in the history. */
export type LocalStep = { seq: number; step: AnyStep; input: Json[]; where: Where };

/** The part of an execution that its handlers, inputs and context use. */
export type ActiveRun = {
  readonly workflow: AnyWorkflow;
  readonly info: RunInfo;
  readonly root: Scope;
  readonly log: Log;
  readonly locals: Map<number, LocalStep>;
  readonly open: ReadonlyMap<number, OpenCommand>;
  readonly started: HistoryEvent | undefined;
  readonly nowMs: number;
  readonly historyLength: number;
  readonly shouldContinueAsNew: boolean;
  readonly random: Random;
  readonly ownRandom: Random;
  fail(error: unknown): void;
  push(command: Command): void;
  emit(event: CustomTaskEvent): void;
  ask(
    command: (seq: number) => Command | undefined,
    open: Omit<OpenCommand, 'settle'> & { cancel?: (seq: number) => Command },
  ): Promise<Json | undefined>;
  wait(register: (settle: (outcome: Outcome) => void) => void, onCancel: () => void): Promise<Json | undefined>;
  waitUntil(check: () => boolean): { promise: Promise<Json | undefined>; drop: () => void };
  settle(seq: number, outcome: Outcome): void;
  patched(id: string): boolean;
  here(): Where;
  inScope<T>(scope: Scope, code: () => T): T;
  inQuery<T>(code: () => T): T;
  mustBeInTurn(): void;
};
