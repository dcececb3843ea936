import { type Check, ok, warn } from './check.ts';

const NAME = 'schedules';
const SHOWN = 3;
/** More are only counted up to here. */
export const SCHEDULES_READ_MAX = 100;

/** Schedules that the platform paused by itself, newest first. */
export function describePaused(paused: { id: string; note: string | null }[]): Check {
  if (paused.length === 0) return ok(NAME, 'none was paused by the platform');
  const count = paused.length < SCHEDULES_READ_MAX ? String(paused.length) : `${SCHEDULES_READ_MAX} or more`;
  const shown = paused.slice(0, SHOWN).map(({ id, note }) => (note ? `'${id}' (${note})` : `'${id}'`));
  return warn(
    NAME,
    `${count} paused by the platform: ${shown.join('; ')}`,
    'have their owners change them and resume them, in the console or with POST /v1/workflows/schedules/{id}/resume',
  );
}
