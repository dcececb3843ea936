import type { WorkflowEvent } from '../../../../../src/workflows/schema/events.ts';
import type { Message, TimelineEvent } from './read-messages.ts';
import type { Timer } from './read-timers.ts';
import { type Group, hasEnded, isGroup, type Row, type RowKind, type RowState } from './rows.ts';

export type Timeline = {
  /** All events in order; append-only. */
  readonly events: readonly TimelineEvent[];
  /** Increases with each change, to trigger rendering. */
  readonly version: number;
  add(event: WorkflowEvent): void;
  /** Adds or updates the timers of a run. */
  addTimers(runId: string, timers: readonly Timer[]): void;
  /** Adds the signals and updates of a run that are not there yet. */
  addMessages(runId: string, messages: readonly Message[]): void;
  readonly hasMessages: boolean;
  /** Rows in display order: each run followed by its items. */
  rows(): readonly Row[];
  toggle(key: string): void;
  isCollapsed(key: string): boolean;
  hasItems(key: string): boolean;
  /** Unanswered input requests, oldest first. */
  pendingInputs(): Row[];
  latestRunId(): string | undefined;
  /** Whether a run of the execution is active. */
  isOpen(): boolean;
  /** From the first start to the last event; undefined without events. */
  bounds(): { fromMs: number; toMs: number } | undefined;
};

type EventOf<Type extends WorkflowEvent['event_type']> = Extract<WorkflowEvent, { event_type: Type }>;
type CustomEvent = Extract<WorkflowEvent, { attributes: { custom_task_id: string } }>;

const INPUT_TASK = 'wait_for_input';

/** Turns events into rows in constant time each: only an insertion in the middle needs a new layout, made on read. */
export function createTimeline(executionId: string): Timeline {
  const events: TimelineEvent[] = [];
  const roots: Group[] = [];
  const runs = new Map<string, Group>();
  const latest = new Map<string, Group>();
  const rowsByKey = new Map<string, Row>();
  const inputs = new Map<string, Row>();
  let flat: Row[] = [];
  let isLaidOut = true;
  let version = 0;
  let hasMessages = false;
  let fromMs = Number.POSITIVE_INFINITY;
  let toMs = Number.NEGATIVE_INFINITY;

  function seen(atMs: number): void {
    fromMs = Math.min(fromMs, atMs);
    toMs = Math.max(toMs, atMs);
  }

  function newRow(group: Group | undefined, kind: RowKind, key: string, label: string, atMs: number): Row {
    return {
      key,
      kind,
      label,
      executionId: group?.row.executionId ?? executionId,
      runId: group?.row.runId ?? '',
      depth: group ? group.row.depth + 1 : 0,
      startMs: atMs,
      endMs: undefined,
      dueMs: undefined,
      state: 'running',
      failures: [],
      message: undefined,
      taskType: undefined,
      events: [],
    };
  }

  /** Appends the row if it belongs at the end, else marks the rows for a new layout. */
  function place(group: Group | undefined, item: Row | Group): void {
    const items = group ? group.items : roots;
    const isLast = !group || endsWith(roots, group);
    const row = isGroup(item) ? item.row : item;
    rowsByKey.set(row.key, row);
    (items as (Row | Group)[]).push(item);
    if (group && !isGroup(item)) group.open.add(item);
    if (isHidden(group)) return;
    if (isLast) flat.push(row);
    else isLaidOut = false;
  }

  function isHidden(group: Group | undefined): boolean {
    for (let at = group; at; at = parentOf(at)) if (at.isCollapsed) return true;
    return false;
  }

  const parents = new WeakMap<Group, Group>();
  const parentOf = (group: Group) => parents.get(group);

  function groupOf(event: WorkflowEvent, atMs: number): Group {
    const known = runs.get(event.workflow_run_id);
    if (known) return known;
    const isOwn = event.workflow_exec_id === executionId;
    const parent = isOwn ? undefined : latest.get(event.parent_workflow_exec_id ?? '');
    const row = {
      ...newRow(parent, 'execution', event.workflow_run_id, event.workflow_name, atMs),
      executionId: event.workflow_exec_id,
      runId: event.workflow_run_id,
    };
    const group: Group = { row, items: [], open: new Set(), isCollapsed: false };
    if (parent) parents.set(group, parent);
    runs.set(event.workflow_run_id, group);
    latest.set(event.workflow_exec_id, group);
    place(parent, group);
    return group;
  }

  /** Finds or creates a row of the run. */
  function rowOf(group: Group, kind: RowKind, id: string, label: string, atMs: number): Row {
    const key = `${group.row.runId}/${kind}/${id}`;
    const known = rowsByKey.get(key);
    if (known) return known;
    const row = newRow(group, kind, key, label, atMs);
    place(group, row);
    return row;
  }

  function end(group: Group | undefined, row: Row, state: RowState, atMs: number, message?: string | null): void {
    row.state = state;
    row.endMs = atMs;
    if (message) row.message = message;
    group?.open.delete(row);
    inputs.delete(row.key);
  }

  /** Items still open when a run ends are cancelled with it. */
  function endRun(group: Group, state: RowState, atMs: number, message?: string | null): void {
    end(undefined, group.row, state, atMs, message);
    for (const row of group.open) end(undefined, row, 'canceled', atMs);
    group.open.clear();
  }

  function takeStep(
    group: Group,
    event: EventOf<
      'ACTIVITY_TASK_STARTED' | 'ACTIVITY_TASK_COMPLETED' | 'ACTIVITY_TASK_RETRYING' | 'ACTIVITY_TASK_FAILED'
    >,
    atMs: number,
  ): Row {
    const { task_id, activity_name } = event.attributes;
    const row = rowOf(group, 'step', task_id, activity_name, atMs);
    if (event.event_type === 'ACTIVITY_TASK_COMPLETED') end(group, row, 'completed', atMs);
    if (event.event_type === 'ACTIVITY_TASK_RETRYING' || event.event_type === 'ACTIVITY_TASK_FAILED') {
      const { attempt, failure } = event.attributes;
      row.failures.push({ attempt, atMs, message: failure.message });
      if (event.event_type === 'ACTIVITY_TASK_FAILED') end(group, row, 'failed', atMs, failure.message);
      else row.state = 'retrying';
    }
    return row;
  }

  function takeCustom(group: Group, event: CustomEvent, atMs: number): Row {
    const { custom_task_id, custom_task_type } = event.attributes;
    const isInput = custom_task_type === INPUT_TASK;
    const row = rowOf(group, isInput ? 'input' : 'task', custom_task_id, custom_task_type, atMs);
    row.taskType = custom_task_type;
    switch (event.event_type) {
      case 'CUSTOM_TASK_STARTED':
        if (isInput) {
          row.label = labelOf(event.attributes.payload?.value) ?? 'Input request';
          if (!hasEnded(row)) inputs.set(row.key, row);
        }
        break;
      case 'CUSTOM_TASK_COMPLETED':
        end(group, row, 'completed', atMs);
        break;
      case 'CUSTOM_TASK_FAILED':
        end(group, row, 'failed', atMs, event.attributes.failure.message);
        break;
      case 'CUSTOM_TASK_CANCELED':
        end(group, row, 'canceled', atMs, event.attributes.reason);
        break;
      case 'CUSTOM_TASK_TIMED_OUT':
        end(group, row, 'timed_out', atMs, event.attributes.timeout_type);
        break;
    }
    return row;
  }

  function take(group: Group, event: WorkflowEvent, atMs: number): Row {
    switch (event.event_type) {
      case 'ACTIVITY_TASK_STARTED':
      case 'ACTIVITY_TASK_COMPLETED':
      case 'ACTIVITY_TASK_RETRYING':
      case 'ACTIVITY_TASK_FAILED':
        return takeStep(group, event, atMs);
      case 'WORKFLOW_EXECUTION_STARTED':
        group.row.label = event.attributes.display_name || event.workflow_name;
        break;
      case 'WORKFLOW_EXECUTION_COMPLETED':
        endRun(group, 'completed', atMs);
        break;
      case 'WORKFLOW_EXECUTION_FAILED':
        endRun(group, 'failed', atMs, event.attributes.failure.message);
        break;
      case 'WORKFLOW_EXECUTION_CANCELED':
        endRun(group, 'canceled', atMs, event.attributes.reason);
        break;
      case 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW':
        endRun(group, 'continued', atMs);
        break;
      case 'WORKFLOW_TASK_FAILED':
        group.row.failures.push({
          attempt: group.row.failures.length + 1,
          atMs,
          message: event.attributes.failure.message,
        });
        break;
      case 'WORKFLOW_TASK_TIMED_OUT':
        break;
      default:
        return takeCustom(group, event, atMs);
    }
    return group.row;
  }

  /** Ignores events of executions outside this one's tree. */
  function concerns(event: WorkflowEvent): boolean {
    return (
      event.workflow_exec_id === executionId ||
      runs.has(event.workflow_run_id) ||
      latest.has(event.parent_workflow_exec_id ?? '')
    );
  }

  function layOut(): void {
    flat = [];
    const pour = (items: readonly (Row | Group)[]) => {
      for (const item of items) {
        flat.push(isGroup(item) ? item.row : item);
        if (isGroup(item) && !item.isCollapsed) pour(item.items);
      }
    };
    pour(roots);
    isLaidOut = true;
  }

  return {
    events,
    get version() {
      return version;
    },
    add(event) {
      if (!concerns(event)) return;
      const atMs = event.event_timestamp / 1000;
      seen(atMs);
      take(groupOf(event, atMs), event, atMs).events.push(events.length);
      events.push(event);
      version++;
    },
    addTimers(runId, timers) {
      const group = runs.get(runId);
      if (!group) return;
      for (const { id, startMs, dueMs, end: ended } of timers) {
        const key = `${runId}/timer/${id}`;
        const known = rowsByKey.get(key);
        const row = known ?? newRow(group, 'timer', key, 'Wait', startMs);
        row.dueMs = dueMs;
        if (!known) {
          rowsByKey.set(key, row);
          insertByStart(group.items, row);
          group.open.add(row);
          isLaidOut = false;
        }
        seen(startMs);
        if (ended && !hasEnded(row)) end(group, row, ended.isCanceled ? 'canceled' : 'completed', ended.atMs);
        else if (!ended && !hasEnded(row) && group.row.endMs !== undefined)
          end(group, row, 'canceled', group.row.endMs);
      }
      version++;
    },
    get hasMessages() {
      return hasMessages;
    },
    addMessages(runId, messages) {
      const group = runs.get(runId);
      if (!group) return;
      for (const { id, kind, name, atMs, input } of messages) {
        const key = `${runId}/${kind}/${id}`;
        if (rowsByKey.has(key)) continue;
        const row = { ...newRow(group, kind, key, name, atMs), endMs: atMs, state: 'completed' as const };
        rowsByKey.set(key, row);
        insertByStart(group.items, row);
        isLaidOut = false;
        hasMessages = true;
        seen(atMs);
        row.events.push(events.length);
        events.push({
          ...{ event_id: key, event_timestamp: atMs * 1000, workflow_name: group.row.label },
          ...{ workflow_exec_id: group.row.executionId, workflow_run_id: runId, root_workflow_exec_id: executionId },
          ...{
            parent_workflow_exec_id: null,
            continued_run_id: null,
            first_execution_run_id: runId,
            schedule_id: null,
          },
          event_type: kind === 'signal' ? 'WORKFLOW_EXECUTION_SIGNALED' : 'WORKFLOW_EXECUTION_UPDATED',
          attributes: { message_name: name, input: { type: 'json', value: input } },
        } as TimelineEvent);
        version++;
      }
    },
    rows() {
      if (!isLaidOut) layOut();
      return flat;
    },
    toggle(key) {
      const group = runs.get(key);
      if (!group) return;
      group.isCollapsed = !group.isCollapsed;
      isLaidOut = false;
      version++;
    },
    isCollapsed: (key) => runs.get(key)?.isCollapsed ?? false,
    hasItems: (key) => (runs.get(key)?.items.length ?? 0) > 0,
    pendingInputs: () => [...inputs.values()],
    isOpen: () => roots.some(({ row }) => !hasEnded(row)),
    latestRunId: () => latest.get(executionId)?.row.runId,
    bounds: () => (fromMs <= toMs ? { fromMs, toMs } : undefined),
  };
}

/** Whether an item added to the run comes after all rows. */
function endsWith(roots: readonly Group[], group: Group): boolean {
  let at: Row | Group | undefined = roots.at(-1);
  for (; at && isGroup(at); at = at.items.at(-1)) if (at === group) return true;
  return false;
}

/** Searches from the end, because late items are mostly recent. */
function insertByStart(items: (Row | Group)[], row: Row): void {
  let at = items.length;
  for (; at > 0; at--) {
    const before = items[at - 1] as Row | Group;
    if ((isGroup(before) ? before.row : before).startMs <= row.startMs) break;
  }
  items.splice(at, 0, row);
}

function labelOf(value: unknown): string | undefined {
  const label = (value as { label?: unknown } | null | undefined)?.label;
  return typeof label === 'string' && label !== '' ? label : undefined;
}
