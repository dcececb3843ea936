export type RowKind = 'execution' | 'step' | 'input' | 'task' | 'timer' | 'signal' | 'update';
export type RowState = 'running' | 'retrying' | 'completed' | 'failed' | 'canceled' | 'timed_out' | 'continued';

/** A failed attempt of a step. */
export type FailedAttempt = { attempt: number; atMs: number; message: string };

/** One line of the timeline. */
export type Row = {
  key: string;
  kind: RowKind;
  label: string;
  executionId: string;
  runId: string;
  depth: number;
  startMs: number;
  /** Undefined while active. */
  endMs: number | undefined;
  /** When a timer fires. */
  dueMs: number | undefined;
  state: RowState;
  failures: FailedAttempt[];
  /** The reason of the end, if known. */
  message: string | undefined;
  /** The type of a custom task. */
  taskType: string | undefined;
  /** Indexes of its events in the list of all. */
  events: number[];
};

/** A run with its items, including runs of child executions in order of their start. */
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

/** Failed, timed out or retried. */
export function isTroubled({ state, failures }: Row): boolean {
  return failures.length > 0 || state === 'failed' || state === 'timed_out';
}
