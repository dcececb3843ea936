import type { HistoryEvent, HistoryEventType, Json } from '../../../../packages/workflows/src/protocol.ts';
import type { Clock } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { Tx } from '../../../kit/db/index.ts';
import type { Events, NewEvent } from '../../../kit/events/index.ts';
import { type Projected, publicEvent, streamOf } from '../port/project-events.ts';
import { hasEnded } from '../port/statuses.ts';
import { isChanged, type RunStore } from '../port/store/run-store.ts';
import type { Outcome, RunRow, StepRow } from '../port/tables.ts';

/** Another process wrote the run since this one read it; the work is to be done again. */
export class RunMoved extends Error {
  override name = 'RunMoved';
}

/** One run within one transaction. `row` is changed in place and written at the end. */
export type RunState = {
  row: RunRow;
  /** Open steps by the event that scheduled them; read when they are first asked for. */
  steps: Map<number, StepRow> | undefined;
};

/** `read` is the row as it was, or nothing for a new run; one that was only looked at is not written. */
type Touched = {
  state: RunState;
  read: RunRow | undefined;
  isChanged: boolean;
  appended: HistoryEvent[];
};

export type UnitOptions = {
  tx: Tx;
  store: RunStore;
  events: Events;
  cache: RunCache;
  clock: Clock;
  nextMicros: () => number;
  /** Called before the rows are written: the last word on who gets what. */
  beforeFlush: (unit: WorkUnit) => Promise<void>;
};

/**
 * Runs that a worker has are kept in memory from turn to turn. A run is taken out while a transaction changes it and
 * comes back with its new version; what a failed transaction took out stays out.
 */
export type RunCache = Map<string, RunState>;

/**
 * The runs that one transaction changes, and what it will write. Events get their numbers at once; rows are written
 * together at the end, each on the condition that it is still the version that was read.
 */
export class WorkUnit {
  readonly tx: Tx;
  readonly clock: Clock;
  readonly nowMs: number;
  readonly store: RunStore;
  readonly #options: UnitOptions;
  readonly #touched = new Map<string, Touched>();
  readonly #steps = new Map<StepRow, 'insert' | 'update' | 'delete'>();
  readonly #lookedAt = new Set<StepRow>();
  readonly #timers: [string, number, number, number][] = [];
  readonly #keys: [string, string, string, string][] = [];
  readonly #public = new Map<string, NewEvent[]>();
  /** Steps of runs that have ended or were cancelled, which their workers should stop. */
  readonly stepsToStop = new Set<StepRow>();
  readonly updatesDone: [updateId: string, outcome: Outcome][] = [];
  /** Runs that a worker has, whose next turn it must be told of. */
  readonly turnsToDeliver = new Set<RunState>();
  readonly #hooks: (() => void)[] = [];
  readonly #undo: (() => void)[] = [];

  constructor(options: UnitOptions) {
    this.#options = options;
    this.tx = options.tx;
    this.clock = options.clock;
    this.nowMs = options.clock();
    this.store = options.store;
  }

  async findRun(workspaceId: string | undefined, runId: string): Promise<RunState | undefined> {
    const touched = this.#touched.get(runId)?.state;
    const known = touched ?? this.#options.cache.get(runId);
    if (known && (workspaceId === undefined || known.row.workspace_id === workspaceId))
      return touched ?? this.#take(runId);
    // One of another workspace is looked for as if it were missing: its row is not locked, and its copy stays where it is.
    return this.#touch(await this.store.findRun(this.tx, runId, workspaceId));
  }

  async findLatest(workspaceId: string, executionId: string): Promise<RunState | undefined> {
    for (const { state } of this.#touched.values()) {
      const { row } = state;
      if (row.is_latest && row.execution_id === executionId && row.workspace_id === workspaceId) return state;
    }
    const row = await this.store.findLatest(this.tx, workspaceId, executionId);
    if (!row) return undefined;
    const known = this.#touched.get(row.run_id);
    // Handed on within this transaction: what the database still calls the latest is not.
    if (known) return known.state.row.is_latest ? known.state : undefined;
    return this.#current(row);
  }

  /**
   * For what any process may do, and what all of them try at the same moment: undefined also when another one is writing
   * the run. So nobody waits for a lock while holding others, and processes do not lock each other out.
   */
  async findFreeRun(runId: string): Promise<RunState | undefined> {
    const known = this.#touched.get(runId);
    if (known) return known.state;
    const row = await this.store.findFreeRun(this.tx, runId);
    return row && this.#current(row);
  }

  addRun(row: RunRow): RunState {
    const state = { row, steps: new Map() };
    this.#touched.set(row.run_id, { state, read: undefined, isChanged: true, appended: [] });
    return state;
  }

  append({ row }: RunState, type: HistoryEventType, attributes: Record<string, Json>, timeMs = this.nowMs): number {
    const id = ++row.last_event_id;
    this.#touched.get(row.run_id)?.appended.push({ id, type, time_ms: timeMs, attributes });
    return id;
  }

  /** What this transaction has appended so far. */
  appendedTo({ row }: RunState): readonly HistoryEvent[] {
    return this.#touched.get(row.run_id)?.appended ?? [];
  }

  /** An event that a worker made has an id and a time already. */
  publish({ row }: RunState, projected: Projected, made?: { id: string; micros: number }): void {
    const stream = streamOf(row);
    const id = made?.id ?? uuidv7(this.nowMs);
    const data = publicEvent(row, id, made?.micros ?? this.#options.nextMicros(), projected);
    const events = this.#public.get(stream);
    if (events) events.push({ type: data.event_type, data });
    else this.#public.set(stream, [{ type: data.event_type, data }]);
  }

  async stepsOf(state: RunState): Promise<Map<number, StepRow>> {
    if (state.steps) return state.steps;
    const stored = await this.store.listSteps(this.tx, state.row.run_id);
    state.steps = new Map(stored.map((step) => [step.scheduled_event_id, step]));
    // Those that this transaction has begun are not in the table yet.
    for (const step of this.#steps.keys())
      if (step.run_id === state.row.run_id) state.steps.set(step.scheduled_event_id, step);
    return state.steps;
  }

  /** To be written even if none of its columns got another value: its steps did, or a list it holds. */
  changed({ row }: RunState): void {
    const touched = this.#touched.get(row.run_id);
    if (touched) touched.isChanged = true;
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

  /** The event that started the timer, if it still ran. */
  async deleteTimer({ row }: RunState, seq: number): Promise<number | undefined> {
    const at = this.#timers.findIndex(([runId, timer]) => runId === row.run_id && timer === seq);
    if (at === -1) return this.store.deleteTimer(this.tx, row.run_id, seq);
    return this.#timers.splice(at, 1)[0]?.[2];
  }

  insertSearchKey({ row }: RunState, key: string, value: string): void {
    this.#keys.push([row.run_id, row.workspace_id, key, value]);
  }

  /** Whether this transaction made the run's turn ready for others; else it only found it so. */
  becameReady({ row }: RunState): boolean {
    const touched = this.#touched.get(row.run_id);
    return !touched || touched.isChanged || touched.read?.ready_ms !== row.ready_ms;
  }

  /** A step that is ready already, to be given to someone in this transaction. */
  lookAt(step: StepRow): void {
    this.#lookedAt.add(step);
  }

  lookedAt(): StepRow[] {
    return [...this.#lookedAt];
  }

  runs(): RunState[] {
    return [...this.#touched.values()].map(({ state }) => state);
  }

  /** Steps that this transaction makes or changes. */
  steps(): StepRow[] {
    return [...this.#steps].filter(([, change]) => change !== 'delete').map(([step]) => step);
  }

  timers(): readonly [string, number, number, number][] {
    return this.#timers;
  }

  /** Work was put aside for somebody who polls. */
  isOffering = false;

  afterCommit(hook: () => void): void {
    this.#hooks.push(hook);
  }

  onRollback(undo: () => void): void {
    this.#undo.push(undo);
  }

  async flush(): Promise<void> {
    const { tx, store } = this;
    await this.#options.beforeFlush(this);
    const touched = [...this.#touched.values()];
    const history: [string, number, number, string][] = [];
    for (const { state, appended } of touched) {
      const [first] = appended;
      if (!first) continue;
      const text = JSON.stringify(appended);
      state.row.history_bytes += text.length;
      history.push([state.row.run_id, first.id, state.row.last_event_id, text]);
    }
    const ended = touched.filter(({ state }) => hasEnded(state.row.status)).map(({ state }) => state.row.run_id);
    await this.#writeRuns(touched);
    if (history.length > 0) await store.insertHistory(tx, history);
    await this.#writeSteps(new Set(ended));
    const timers = this.#timers.filter(([runId]) => !ended.includes(runId));
    if (timers.length > 0) await store.insertTimers(tx, timers);
    if (this.#keys.length > 0) await store.insertKeys(tx, this.#keys);
    if (ended.length > 0) await store.deleteOpenWork(tx, ended);
    if (this.#public.size > 0) await this.#options.events.appendMany(tx, this.#public);
    for (const { state } of touched) this.#giveBack(state);
  }

  /** Whether somebody waits for the commit: a client, or a worker without work. */
  get hasNews(): boolean {
    return this.isOffering || this.updatesDone.length > 0 || this.runs().some(({ row }) => hasEnded(row.status));
  }

  committed(): void {
    for (const hook of this.#hooks) hook();
  }

  rollback(): void {
    for (const runId of this.#touched.keys()) this.#options.cache.delete(runId);
    for (const undo of this.#undo.splice(0)) undo();
  }

  async #writeRuns(touched: Touched[]): Promise<void> {
    const fresh: RunRow[] = [];
    const lookedAt: RunRow[] = [];
    // Names are handed on before they are taken: an execution has one latest run at any time.
    for (const { state, read, isChanged: isTouched } of touched) {
      const { row } = state;
      if (!read) fresh.push(row);
      else if (isTouched || isChanged(row, read)) {
        row.version = read.version + 1;
        if (!(await this.store.updateRun(this.tx, row, read))) throw new RunMoved();
      } else lookedAt.push(read);
    }
    // Also what was decided without a write must have been decided on what is true: copies may be another process's past.
    if (!(await this.store.areCurrent(this.tx, lookedAt))) throw new RunMoved();
    if (fresh.length > 0) await this.store.insertRuns(this.tx, fresh);
  }

  async #writeSteps(ended: Set<string>): Promise<void> {
    const inserts: StepRow[] = [];
    for (const [step, change] of this.#steps) {
      if (ended.has(step.run_id)) continue;
      if (change === 'insert') inserts.push(step);
      else if (change === 'update') await this.store.updateStep(this.tx, step);
      else await this.store.deleteStep(this.tx, step);
    }
    if (inserts.length > 0) await this.store.insertSteps(this.tx, inserts);
  }

  #take(runId: string): RunState | undefined {
    const state = this.#options.cache.get(runId);
    if (!state) return undefined;
    this.#options.cache.delete(runId);
    return this.#remember(state);
  }

  /** The copy with its steps, if it is not behind the row. */
  #current(row: RunRow): RunState | undefined {
    const isCurrent = this.#options.cache.get(row.run_id)?.row.version === row.version;
    return isCurrent ? this.#take(row.run_id) : this.#touch(row);
  }

  #touch(row: RunRow | undefined): RunState | undefined {
    if (!row) return undefined;
    return this.#remember({ row, steps: undefined });
  }

  #remember(state: RunState): RunState {
    this.#touched.set(state.row.run_id, { state, read: { ...state.row }, isChanged: false, appended: [] });
    return state;
  }

  #giveBack(state: RunState): void {
    if (state.row.lease_worker !== null) this.#options.cache.set(state.row.run_id, state);
  }
}
