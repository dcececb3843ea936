export type RowKind = 'execution' | 'step' | 'input' | 'task' | 'timer';
export type RowState = 'running' | 'retrying' | 'completed' | 'failed' | 'canceled' | 'timed_out' | 'continued';

/** An attempt of a step that failed and was followed by another, or was the last. */
export type FailedAttempt = { attempt: number; atMs: number; message: string };

/** One line of the timeline: something that began, lasts, and ends in one of a few ways. */
export type Row = {
  key: string;
  kind: RowKind;
  label: string;
  executionId: string;
  runId: string;
  depth: number;
  startMs: number;
  /** Undefined while it lasts. */
  endMs: number | undefined;
  /** When a timer is to fire. */
  dueMs: number | undefined;
  state: RowState;
  failures: FailedAttempt[];
  /** Why it ended as it did, where somebody said so. */
  message: string | undefined;
  /** The type of a custom task. */
  taskType: string | undefined;
  /** The places of its events in the list of all, for those who look closer. */
  events: number[];
};

/** A run with what happened in it. Runs of child executions stand among its rows, where they began. */
export type Group = {
  row: Row;
  items: (Row | Group)[];
  open: Set<Row>;
  isCollapsed: boolean;
};

export function isGroup(item: Row | Group): item is Group {
  return 'items' in item;
}

export function hasEnded(row: Row): boolean {
  return row.endMs !== undefined;
}

export function durationMs(row: Row, nowMs: number): number {
  return Math.max(0, (row.endMs ?? nowMs) - row.startMs);
}

/** Steps that failed for good or needed more than one attempt, and whatever else went wrong. */
export function isTroubled({ state, failures }: Row): boolean {
  return failures.length > 0 || state === 'failed' || state === 'timed_out';
}
