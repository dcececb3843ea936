import type { StepResult, StepTask, WorkflowTask } from '../protocol.ts';
import type { Execution } from '../run/execution.ts';
import type { Replay } from '../run/replay.ts';
import type { StepAttempt } from './step-attempt.ts';

/** A cached run, paused where it waits. */
export type HotRun = {
  runId: string;
  /** The token of its lease. */
  token: string;
  rootExecutionId: string | undefined;
  execution: Execution;
  replay: Replay;
  /** Steps that run here, or whose result no turn has used yet. */
  begun: Set<BegunStep>;
  /** Steps that succeeded, to be sent with the turn they lead to. */
  results: BegunStep[];
  isPlanned: boolean;
  isInTurn: boolean;
  /** Turns that the server has not answered. */
  unanswered: number;
  /** Whether the ids of all events are known before the server's answer, so that the run can go on meanwhile. */
  isForeseen: boolean;
  /** The server rejected a turn: this copy is of no more use. */
  isLost: boolean;
  /** What the server has for the run once all turns are answered. */
  next: WorkflowTask | undefined;
  /** Steps of the last copy that the server has not heard of, by their number. */
  orphans: Map<string, BegunStep>;
  /** Estimated size: the length of its history as JSON. */
  characters: number;
};

/** A step that runs here, or ran. The server may not have heard of it yet (`attempt.isKnown`). */
export type BegunStep = {
  /** The copy of its run that asked for it. */
  run: HotRun;
  task: StepTask;
  /** Its input as JSON: the step may have changed what it was given. */
  input: string;
  attempt: StepAttempt;
  result: StepResult | undefined;
  /** Whether the result goes with a turn. */
  isUsed: boolean;
  isDiscarded: boolean;
};
