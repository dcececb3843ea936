import type { HistoryEvent, HistoryEventType, Json } from '../../../../packages/workflows/src/protocol.ts';
import type { SlotMap } from '../../../kit/base/slot-map.ts';
import type { Tx } from '../../../kit/db/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import type { RunRow } from '../../store/run-tables.ts';
import type { Committer } from '../port/committer.ts';
import { type RunState as PortState, RunUnit, type RunUnitOptions } from '../port/run-unit.ts';
import type { HistoryBatch, NewTimer, WorkStore } from './store/work-store.ts';
import type { Outcome, StepRow } from './tables.ts';

export type RunState = PortState & {
  /** Open steps by the event that scheduled them; loaded on first use. */
  steps: Map<number, StepRow> | undefined;
};

/**
 * Leased runs are kept in memory from turn to turn. A run leaves the cache while a transaction changes it and returns
 * with its new version; after a rollback it stays out.
 */
export type RunCache = SlotMap<RunState>;

export type SetAside = Pick<
  RunRow,
  'organization_id' | 'workspace_id' | 'execution_id' | 'run_id' | 'deaths' | 'quarantine_reason'
>;

/** Called in the transaction that sets a run aside, at its end. */
export type OnSetAside = (tx: Tx, run: SetAside) => Promise<void>;

/** What one transaction of the embedded engine writes: runs and their history, steps and timers. */
export class WorkUnit extends RunUnit<RunState> {
  readonly #work: WorkStore;
  readonly #cache: RunCache;
  readonly #onSetAside: OnSetAside | undefined;
  readonly #appended = new Map<string, HistoryEvent[]>();
  readonly #steps = new Map<StepRow, 'insert' | 'update' | 'delete'>();
  readonly #readySteps = new Set<StepRow>();
  readonly #timers: NewTimer[] = [];
  readonly #history: HistoryBatch[] = [];
  readonly #undo: (() => void)[] = [];
  /** Leased steps that were cancelled or whose run has ended; their workers are told to stop. */
  readonly stepsToStop = new Set<StepRow>();
  readonly updatesDone: [updateId: string, outcome: Outcome][] = [];
  /** Leased runs whose next turn goes to the lease holder. */
  readonly turnsToDeliver = new Set<RunState>();
  /** Runs that this transaction sets aside. */
  readonly quarantined: RunRow[] = [];
  /** Deployments for which this transaction has leased work that is tried alone. */
  readonly trying = new Set<string>();
  /** Whether work was put into a polling worker's mailbox. */
  isOffering = false;

  constructor(options: RunUnitOptions & { work: WorkStore; cache: RunCache; onSetAside?: OnSetAside | undefined }) {
    super(options);
    this.#work = options.work;
    this.#cache = options.cache;
    this.#onSetAside = options.onSetAside;
  }

  /**
   * For work that every process attempts at once: undefined also while another process writes the run. No process then
   * waits for a lock while it holds others, so there are no deadlocks.
   */
  async findFreeRun(runId: string): Promise<RunState | undefined> {
    const known = this.touched.get(runId);
    if (known) return known.state;
    const row = await this.#work.findFreeRun(this.tx, runId);
    return row && this.takeCurrent(row);
  }

  override addRun(row: RunRow): RunState {
    const state = super.addRun(row);
    state.steps = new Map();
    return state;
  }

  append(run: RunState, type: HistoryEventType, attributes: Record<string, Json>, timeMs?: number): number {
    const { row, moment } = run;
    const id = ++row.last_event_id;
    const event = { id, type, time_ms: timeMs ?? moment?.ms ?? this.nowMs, attributes };
    const appended = this.#appended.get(row.run_id);
    if (appended) appended.push(event);
    else this.#appended.set(row.run_id, [event]);
    return id;
  }

  /** The events that this transaction has appended so far. */
  appendedTo({ row }: RunState): readonly HistoryEvent[] {
    return this.#appended.get(row.run_id) ?? [];
  }

  async stepsOf(state: RunState): Promise<Map<number, StepRow>> {
    if (state.steps) return state.steps;
    const stored = await this.#work.listSteps(this.tx, state.row.run_id);
    state.steps = new Map(stored.map((step) => [step.scheduled_event_id, step]));
    // Steps that this transaction scheduled are not in the table yet.
    for (const step of this.#steps.keys())
      if (step.run_id === state.row.run_id) state.steps.set(step.scheduled_event_id, step);
    return state.steps;
  }

  insertStep(state: RunState, step: StepRow): void {
    this.changed(state);
    state.steps?.set(step.scheduled_event_id, step);
    this.#steps.set(step, 'insert');
  }

  changedStep(state: RunState, step: StepRow): void {
    this.changed(state);
    if (!this.#steps.has(step)) this.#steps.set(step, 'update');
  }

  deleteStep(state: RunState, step: StepRow): void {
    this.changed(state);
    state.steps?.delete(step.scheduled_event_id);
    if (this.#steps.get(step) === 'insert') this.#steps.delete(step);
    else this.#steps.set(step, 'delete');
  }

  insertTimer({ row }: RunState, seq: number, startedEventId: number, dueMs: number): void {
    this.#timers.push([row.run_id, seq, startedEventId, dueMs]);
  }

  /** The event that started the timer, undefined if it has fired. */
  async deleteTimer({ row }: RunState, seq: number): Promise<number | undefined> {
    const at = this.#timers.findIndex(([runId, timer]) => runId === row.run_id && timer === seq);
    if (at === -1) return this.#work.deleteTimer(this.tx, row.run_id, seq);
    return this.#timers.splice(at, 1)[0]?.[2];
  }

  /** Whether this transaction made the run's turn ready; false if it was ready before. */
  becameReady({ row }: RunState): boolean {
    const touched = this.touched.get(row.run_id);
    return !touched || touched.isChanged || touched.read?.ready_ms !== row.ready_ms;
  }

  /** Marks a ready step to be offered to a worker in this transaction. */
  addReadyStep(step: StepRow): void {
    this.#readySteps.add(step);
  }

  readySteps(): StepRow[] {
    return [...this.#readySteps];
  }

  /** Steps that this transaction inserts or updates. */
  steps(): StepRow[] {
    return [...this.#steps].filter(([, change]) => change !== 'delete').map(([step]) => step);
  }

  timers(): readonly NewTimer[] {
    return this.#timers;
  }

  onRollback(undo: () => void): void {
    this.#undo.push(undo);
  }

  override async flush(): Promise<void> {
    for (const { row } of this.runs()) {
      const events = this.#appended.get(row.run_id);
      if (!events?.[0]) continue;
      const text = JSON.stringify(events);
      row.history_bytes += text.length;
      this.#history.push([row.run_id, events[0].id, row.last_event_id, text]);
    }
    await super.flush();
    for (const row of this.quarantined) await this.#onSetAside?.(this.tx, row);
    for (const state of this.runs()) if (state.row.lease_worker !== null) this.#cache.set(state.row.run_id, state);
  }

  override get hasNews(): boolean {
    return this.isOffering || this.updatesDone.length > 0 || this.stepsToStop.size > 0 || super.hasNews;
  }

  override rollback(): void {
    for (const runId of this.touched.keys()) this.#cache.delete(runId);
    for (const undo of this.#undo.splice(0)) undo();
  }

  protected override toState(row: RunRow): RunState {
    return { row, steps: undefined };
  }

  protected override findCached(runId: string): RunState | undefined {
    return this.#cache.get(runId);
  }

  protected override takeCurrent(row: RunRow): RunState {
    const cached = this.#cache.get(row.run_id);
    return cached?.row.version === row.version ? this.remember(cached) : super.takeCurrent(row);
  }

  protected override remember(state: RunState): RunState {
    this.#cache.delete(state.row.run_id);
    return super.remember(state);
  }

  protected override async writeWork(): Promise<void> {
    const ended = new Set(this.runs().flatMap(({ row }) => (hasEnded(row.status) ? [row.run_id] : [])));
    const newSteps: StepRow[] = [];
    const endedSteps: StepRow[] = [];
    for (const [step, change] of this.#steps) {
      if (ended.has(step.run_id)) continue;
      if (change === 'insert') newSteps.push(step);
      else if (change === 'update') await this.#work.updateStep(this.tx, step);
      else endedSteps.push(step);
    }
    const timers = this.#timers.filter(([runId]) => !ended.has(runId));
    const endedRuns = [...ended];
    await this.#work.write(this.tx, { history: this.#history, newSteps, endedSteps, timers, endedRuns });
  }
}

export type WorkCommitter = Committer<WorkUnit>;
