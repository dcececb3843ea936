import type { Clock } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { Tx } from '../../../kit/db/index.ts';
import type { Announce, Announcement, Events, NewEvent } from '../../../kit/events/index.ts';
import { hasEnded } from '../../schema/statuses.ts';
import { isChanged, type RunChange, type RunStore } from '../../store/run-store.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { deleteSearchKeys } from '../../store/search-keys.ts';
import { announcementOf } from './announce-events.ts';
import { constantsOf, type OwnEvent, type Projected, valuesOf } from './project-events.ts';

/** Another process wrote the run after this one read it; the work must be repeated. */
export class RunMoved extends Error {
  override name = 'RunMoved';
}

/** One run within one transaction. `row` is changed in place and written at the end. */
export type RunState = {
  row: RunRow;
  /** When that happened which is recorded now: in milliseconds, and for the next event. Now, if there is none. */
  moment?: { ms: number; micros: number } | undefined;
};

/** `read` is the row as it was read, undefined for a new run. A run that was only read is not written. */
type Touched<State> = { state: State; read: RunRow | undefined; isChanged: boolean };

/** Sees each event once it is committed, and the run as it was then. */
export type OnEvent = (event: OwnEvent, run: RunRow) => void;

export type RunUnitOptions = {
  tx: Tx;
  store: RunStore;
  events: Events;
  clock: Clock;
  nextMicros: () => number;
  onEvent?: OnEvent | undefined;
  announce?: Announce | undefined;
};

/**
 * Collects the runs that one transaction changes and the public events it appends. All rows are written together at the
 * end, each only if it still has the version that was read.
 */
export class RunUnit<State extends RunState = RunState> {
  readonly tx: Tx;
  readonly clock: Clock;
  readonly nowMs: number;
  protected readonly touched = new Map<string, Touched<State>>();
  readonly #options: RunUnitOptions;
  readonly #keys: [runId: string, workspaceId: string, key: string, value: string][] = [];
  readonly #public = new Map<string, NewEvent[]>();
  readonly #hooks: (() => void)[] = [];
  readonly #news: Announcement[] = [];

  constructor(options: RunUnitOptions) {
    this.#options = options;
    this.tx = options.tx;
    this.clock = options.clock;
    this.nowMs = options.clock();
  }

  /** Without a promise if the run is known here. */
  findRun(workspaceId: string | undefined, runId: string): State | undefined | Promise<State | undefined> {
    const touched = this.touched.get(runId)?.state;
    const known = touched ?? this.findCached(runId);
    if (known && (workspaceId === undefined || known.row.workspace_id === workspaceId))
      return touched ?? this.remember(known);
    return this.#readRun(workspaceId, runId);
  }

  async #readRun(workspaceId: string | undefined, runId: string): Promise<State | undefined> {
    // A run of another workspace is queried like a missing one: its row is not locked and its cached copy stays.
    const row = await this.#options.store.findRun(this.tx, runId, workspaceId);
    return row && this.remember(this.toState(row));
  }

  async findLatest(workspaceId: string, executionId: string): Promise<State | undefined> {
    for (const { state } of this.touched.values()) {
      const { row } = state;
      if (row.is_latest && row.execution_id === executionId && row.workspace_id === workspaceId) return state;
    }
    const row = await this.#options.store.findLatest(this.tx, workspaceId, executionId);
    if (!row) return undefined;
    const known = this.touched.get(row.run_id);
    // This transaction has given the name to another run, which the database does not show yet.
    if (known) return known.state.row.is_latest ? known.state : undefined;
    return this.takeCurrent(row);
  }

  addRun(row: RunRow): State {
    const state = this.toState(row);
    this.touched.set(row.run_id, { state, read: undefined, isChanged: true });
    return state;
  }

  /** `made`: id and time of an event that a worker created. */
  publish({ row, moment }: RunState, projected: Projected, made?: { id: string; micros: number }): void {
    const { stream, form } = constantsOf(row);
    const id = made?.id ?? uuidv7(this.nowMs);
    const { event_type, attributes } = projected;
    const micros = made?.micros ?? (moment ? moment.micros++ : this.#options.nextMicros());
    const own = { event_id: id, event_timestamp: micros, event_type, attributes };
    const event = { type: event_type, data: valuesOf(own), form };
    const events = this.#public.get(stream);
    if (events) events.push(event);
    else this.#public.set(stream, [event]);
    const { onEvent, announce } = this.#options;
    const news = announce && announcementOf(own, row);
    if (news) this.#news.push(news);
    if (onEvent) this.#hooks.push(() => onEvent(own, row));
  }

  /** Has the row written even if no column was reassigned: its steps changed, or a list in a column did. */
  changed({ row }: RunState): void {
    const touched = this.touched.get(row.run_id);
    if (touched) touched.isChanged = true;
  }

  insertSearchKey({ row }: RunState, key: string, value: string): void {
    this.#keys.push([row.run_id, row.workspace_id, key, value]);
  }

  /** A null value removes the key. */
  async setSearchKeys(run: RunState, keys: Record<string, string | null>): Promise<void> {
    for (const [key, value] of Object.entries(keys)) {
      if (value === null) await deleteSearchKeys(this.tx, run.row, [key]);
      else this.insertSearchKey(run, key, value);
    }
  }

  runs(): State[] {
    return [...this.touched.values()].map(({ state }) => state);
  }

  afterCommit(hook: () => void): void {
    this.#hooks.push(hook);
  }

  async flush(): Promise<void> {
    const { store, events } = this.#options;
    await this.#writeRuns();
    await this.writeWork();
    if (this.#keys.length > 0) await store.insertKeys(this.tx, this.#keys);
    if (this.#public.size > 0) await events.appendMany(this.tx, this.#public);
    for (const news of this.#news) await this.#options.announce?.(this.tx, news);
  }

  /** Whether a client, a reader of events or an idle worker waits for this commit. */
  get hasNews(): boolean {
    const { isWatched } = this.#options.events;
    return (
      this.#news.length > 0 ||
      this.runs().some(({ row }) => hasEnded(row.status)) ||
      this.#public.keys().some(isWatched)
    );
  }

  committed(): void {
    for (const hook of this.#hooks) hook();
  }

  rollback(): void {}

  /** Writes what an engine keeps beside the runs. */
  protected async writeWork(): Promise<void> {}

  protected toState(row: RunRow): State {
    return { row } as State;
  }

  protected findCached(_runId: string): State | undefined {
    return undefined;
  }

  /** The state of a run whose current row was just read. */
  protected takeCurrent(row: RunRow): State {
    return this.remember(this.toState(row));
  }

  protected remember(state: State): State {
    this.touched.set(state.row.run_id, { state, read: { ...state.row }, isChanged: false });
    return state;
  }

  async #writeRuns(): Promise<void> {
    const { store } = this.#options;
    const fresh: RunRow[] = [];
    const onlyRead: RunRow[] = [];
    const changes: RunChange[] = [];
    // Updates before inserts: an execution has one latest run at any time, so the old one gives the name up first.
    for (const { state, read, isChanged: isTouched } of this.touched.values()) {
      const { row } = state;
      if (!read) fresh.push(row);
      else if (isTouched || isChanged(row, read)) {
        row.version = read.version + 1;
        changes.push({ row, read });
      } else onlyRead.push(read);
    }
    if (!(await store.updateRuns(this.tx, changes))) throw new RunMoved();
    // Decisions without a write also need current rows: a cached copy may be out of date.
    if (!(await store.areCurrent(this.tx, onlyRead))) throw new RunMoved();
    if (fresh.length > 0) await store.insertRuns(this.tx, fresh);
  }
}
