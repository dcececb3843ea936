import { NotDeterministic } from '../errors.ts';
import type { Command, HistoryEvent } from '../protocol.ts';
import type { Execution, LocalResults } from './execution.ts';
import { isCommandEvent, isRecorded, matchCommands } from './match-commands.ts';

/** Turns between two yields to the event loop, so that a long history does not block the worker. */
const TURNS_PER_SLICE = 200;

/**
 * Replays the history of a run. Each completed turn is repeated with the same events and must produce the same
 * commands. Events after the last completed turn are kept for the next one.
 */
export class Replay {
  readonly execution: Execution;
  /** Events since the last completed turn. */
  #events: HistoryEvent[] = [];
  /** The open turn: its time, and how many events it has. */
  #opened: { timeMs: number; count: number } | undefined;
  /** Whether the history has the event that asks for the next turn. */
  #isScheduled = false;

  constructor(execution: Execution) {
    this.execution = execution;
  }

  async feed(history: readonly HistoryEvent[]): Promise<void> {
    const { execution } = this;
    for (const { type, attributes } of history)
      if (type === 'MARKER_RECORDED' && attributes.marker_name === 'patch')
        execution.knownPatches.add(String((attributes.details as { id?: unknown } | null)?.id));
    let turns = 0;
    for (let at = 0; at < history.length; at++) {
      const event = history[at] as HistoryEvent;
      if (event.id !== execution.lastEventId + 1)
        throw new Error(`History has a gap: event ${event.id} came after ${execution.lastEventId}.`);
      execution.lastEventId = event.id;
      if (event.type === 'WORKFLOW_TASK_SCHEDULED') this.#isScheduled = true;
      else if (event.type === 'WORKFLOW_TASK_STARTED')
        this.#opened = { timeMs: event.time_ms, count: this.#events.length };
      else if (event.type === 'WORKFLOW_TASK_FAILED' || event.type === 'WORKFLOW_TASK_TIMED_OUT')
        this.#opened = undefined;
      else if (event.type === 'WORKFLOW_TASK_COMPLETED') {
        let end = at + 1;
        while (end < history.length && isCommandEvent(history[end] as HistoryEvent)) end++;
        await this.#retake(event, history.slice(at + 1, end));
        at = end - 1;
        if (++turns % TURNS_PER_SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
      } else this.#events.push(event);
    }
  }

  /** Takes the next turn, with `more` events that are not in the history yet. */
  async takeTurn(
    nowMs: number,
    more: readonly HistoryEvent[],
    locals: LocalResults,
  ): Promise<{ commands: Command[]; timeMs: number }> {
    const timeMs = Math.max(this.execution.nowMs, this.#opened?.timeMs ?? nowMs);
    const events = [...this.#events, ...more];
    this.#events = [];
    this.#opened = undefined;
    return { commands: await this.execution.takeTurn(events, timeMs, locals), timeMs };
  }

  /**
   * The ids that the events of a turn's commands will have, if nothing else happens to the run: the results of steps
   * have two events each, the turn has three, of which the first may be there already.
   */
  foresee(results: number, commands: readonly Command[]): { first: number; last: number } {
    const first = this.execution.lastEventId + 2 * results + (this.#isScheduled ? 2 : 3) + 1;
    return { first, last: first + commands.filter(isRecorded).length - 1 };
  }

  /** The server has stored the commands of a turn, or will: their events have consecutive ids from `first` on. */
  wrote(commands: readonly Command[], first: number, last: number): void {
    this.#isScheduled = false;
    let id = first;
    for (const command of commands) if (isRecorded(command)) this.#note(command, id++);
    this.execution.lastEventId = last;
    this.execution.historyLength = last;
  }

  async #retake(completed: HistoryEvent, recorded: readonly HistoryEvent[]): Promise<void> {
    const { execution } = this;
    if (!this.#opened) throw new NotDeterministic(`Event ${completed.id} ends a turn that never began.`);
    const { timeMs, count } = this.#opened;
    const events = this.#events.splice(0, count);
    this.#opened = undefined;
    this.#isScheduled = false;
    execution.lastEventId = recorded.at(-1)?.id ?? completed.id;
    const markers = recorded.filter(
      ({ type, attributes }) => type === 'MARKER_RECORDED' && attributes.marker_name === 'local_step',
    );
    execution.isReplaying = true;
    try {
      const commands = await execution.takeTurn(events, timeMs, async () => {
        const marker = markers.shift();
        if (!marker) return undefined;
        const { seq, details } = marker.attributes;
        return { seq: Number(seq), details: details as { name: string } };
      });
      matchCommands(commands, recorded, (command, id) => this.#note(command, id));
      execution.historyLength = execution.lastEventId;
    } finally {
      execution.isReplaying = false;
    }
  }

  #note(command: Command, eventId: number): void {
    if (command.type === 'schedule_step' || command.type === 'start_child' || command.type === 'signal_execution')
      this.execution.seqOfEvent.set(eventId, command.seq);
  }
}
