import type { Tone } from '../../../ui/badge.tsx';
import type { IconName } from '../../../ui/icon.tsx';
import { durationMs, type Row, type RowKind, type RowState } from './rows.ts';
import { formatDuration } from './time-scale.ts';

export const kinds: Record<RowKind, { label: string; icon: IconName }> = {
  execution: { label: 'Execution', icon: 'flow' },
  step: { label: 'Step', icon: 'right' },
  input: { label: 'Input request', icon: 'person' },
  task: { label: 'Progress', icon: 'chart' },
  timer: { label: 'Wait', icon: 'clock' },
  signal: { label: 'Signal', icon: 'arrow' },
  update: { label: 'Update', icon: 'edit' },
};

export const states: Record<RowState, { label: string; tone: Tone }> = {
  running: { label: 'Running', tone: 'accent' },
  retrying: { label: 'Retrying', tone: 'warning' },
  completed: { label: 'Completed', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
  canceled: { label: 'Cancelled', tone: 'neutral' },
  timed_out: { label: 'Timed out', tone: 'danger' },
  continued: { label: 'Continued as new', tone: 'neutral' },
};

/** The accessible name of a row. */
export function describeRow(row: Row, nowMs: number): string {
  const failures = row.failures.length;
  const retries = failures === 0 ? '' : `, ${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}`;
  const state = row.kind === 'input' && row.endMs === undefined ? 'Waiting for input' : states[row.state].label;
  return `${kinds[row.kind].label} ${row.label}: ${state}, ${formatDuration(durationMs(row, nowMs))}${retries}`;
}
