import type { AnyWorkflow } from '../definitions.ts';
import { toFailure } from '../errors.ts';
import type { Command, Failure, HistoryEvent, HistoryEventType, Json } from '../protocol.ts';
import { Execution, type LocalResults } from './execution.ts';
import { Replay } from './replay.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const FIRST_MS = Date.UTC(2026, 0, 1);

/** A run whose history is in memory: the tests play the server, and say what happens and when. */
export class MemoryRun {
  readonly history: HistoryEvent[] = [];
  readonly emitted: Extract<Command, { type: 'emit' }>['event'][] = [];
  nowMs = FIRST_MS;
  replay: Replay;
  readonly runId: string;
  #workflow: AnyWorkflow;
  #locals: LocalResults | undefined;
  outOfTurn: Error | undefined;

  constructor(workflow: AnyWorkflow, input: Json = null, runId = 'run-1') {
    this.#workflow = workflow;
    this.runId = runId;
    this.replay = this.#open();
    this.append('WORKFLOW_EXECUTION_STARTED', { input, workflow_name: workflow.name, attempt: 1, first_run_id: runId });
  }

  #open(): Replay {
    const info = { execution_id: 'execution-1', run_id: this.runId, workflow_name: this.#workflow.name };
    const onOutOfTurn = (error: Error) => {
      this.outOfTurn = error;
    };
    return new Replay(new Execution({ workflow: this.#workflow, info, log: SILENT, onOutOfTurn }));
  }

  append(type: HistoryEventType, attributes: Record<string, Json> = {}): number {
    const id = this.history.length + 1;
    this.history.push({ id, type, time_ms: this.nowMs, attributes });
    return id;
  }

  /** Forgets the running code, as a worker that dies does; another may have newer code. */
  forget(workflow: AnyWorkflow = this.#workflow): this {
    this.#workflow = workflow;
    this.replay = this.#open();
    return this;
  }

  withLocals(locals: LocalResults): this {
    this.#locals = locals;
    return this;
  }

  /** Takes the turn that is due and writes it down. */
  async turn(): Promise<Command[]> {
    const { execution } = this.replay;
    await this.replay.feed(this.history.slice(execution.lastEventId));
    const { commands, timeMs } = await this.replay.takeTurn(this.nowMs, [], this.#locals ?? (async () => undefined));
    this.append('WORKFLOW_TASK_SCHEDULED');
    const started = this.append('WORKFLOW_TASK_STARTED');
    (this.history[started - 1] as HistoryEvent).time_ms = timeMs;
    this.append('WORKFLOW_TASK_COMPLETED');
    const first = this.history.length + 1;
    for (const command of commands) this.#write(command);
    this.replay.wrote(commands, first, this.history.length);
    this.nowMs += 1000;
    return commands;
  }

  #write(command: Command): void {
    switch (command.type) {
      case 'emit':
        return void this.emitted.push(command.event);
      case 'schedule_step':
        return void this.append('ACTIVITY_TASK_SCHEDULED', {
          activity_id: String(command.seq),
          activity_name: command.name,
          input: command.input,
        });
      case 'cancel_step':
        return void this.append('ACTIVITY_TASK_CANCEL_REQUESTED', { scheduled_event_id: this.eventOf(command.seq) });
      case 'start_timer':
        return void this.append('TIMER_STARTED', {
          timer_id: String(command.seq),
          fire_at_ms: this.nowMs + command.fire_in_ms,
        });
      case 'cancel_timer':
        return void this.append('TIMER_CANCELED', { timer_id: String(command.seq) });
      case 'start_child':
        return void this.append('START_CHILD_WORKFLOW_EXECUTION_INITIATED', {
          seq: command.seq,
          workflow_name: command.workflow_name,
          input: command.input,
        });
      case 'cancel_child':
        return void this.append('REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', {
          initiated_event_id: this.eventOf(command.seq),
        });
      case 'signal_execution':
        return void this.append('SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', {
          seq: command.seq,
          execution_id: command.execution_id,
          signal_name: command.name,
          input: command.input,
        });
      case 'record_marker':
        return void this.append('MARKER_RECORDED', {
          marker_name: command.name,
          ...(command.seq === undefined ? {} : { seq: command.seq }),
          details: command.details,
        });
      case 'complete_update':
        return void this.append('WORKFLOW_EXECUTION_UPDATE_COMPLETED', {
          ...command,
          failure: (command.failure ?? null) as Json,
        });
      case 'upsert_search_keys':
        return void this.append('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES', { search_keys: command.keys });
      case 'complete':
        return void this.append('WORKFLOW_EXECUTION_COMPLETED', { result: command.result });
      case 'fail':
        return void this.append('WORKFLOW_EXECUTION_FAILED', { failure: command.failure as Json });
      case 'cancelled':
        return void this.append('WORKFLOW_EXECUTION_CANCELED', { reason: command.reason ?? null });
      case 'continue_as_new':
        return void this.append('WORKFLOW_EXECUTION_CONTINUED_AS_NEW', { input: command.input });
    }
  }

  /** The event that the command with this seq made. */
  eventOf(seq: number): number {
    const event = this.history.find(
      ({ attributes }) =>
        attributes.activity_id === String(seq) || (attributes.seq === seq && !('marker_name' in attributes)),
    );
    if (!event) throw new Error(`no command ${seq} in the history`);
    return event.id;
  }

  completeStep(seq: number, result: Json): this {
    this.append('ACTIVITY_TASK_STARTED', { scheduled_event_id: this.eventOf(seq), attempt: 1 });
    this.append('ACTIVITY_TASK_COMPLETED', { scheduled_event_id: this.eventOf(seq), result });
    return this;
  }

  failStep(seq: number, failure: Failure, attempt = 3): this {
    this.append('ACTIVITY_TASK_FAILED', { scheduled_event_id: this.eventOf(seq), failure: failure as Json, attempt });
    return this;
  }

  fireTimer(seq: number): this {
    this.append('TIMER_FIRED', { timer_id: String(seq) });
    return this;
  }

  signal(name: string, input: Json = null): this {
    this.append('WORKFLOW_EXECUTION_SIGNALED', { signal_name: name, input });
    return this;
  }

  update(id: string, name: string, input: Json = null): this {
    this.append('WORKFLOW_EXECUTION_UPDATE_ADMITTED', { update_id: id, update_name: name, input });
    return this;
  }

  cancel(reason = 'because'): this {
    this.append('WORKFLOW_EXECUTION_CANCEL_REQUESTED', { reason });
    return this;
  }
}

/** Reads a whole history with the code; what is wrong with it, or undefined. */
export async function replayHistory(workflow: AnyWorkflow, history: readonly HistoryEvent[], runId = 'run-1') {
  const info = { execution_id: 'execution-1', run_id: runId, workflow_name: workflow.name };
  const execution = new Execution({ workflow, info, log: SILENT, onOutOfTurn: () => undefined });
  try {
    await new Replay(execution).feed(history);
    return { execution, failure: undefined };
  } catch (error) {
    return { execution, failure: toFailure(error) };
  }
}
