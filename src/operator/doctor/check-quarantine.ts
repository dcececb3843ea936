import { type Check, ok, warn } from './check.ts';

const NAME = 'quarantine';

/** Work that was set aside, by queue. */
export function describeQuarantine(counts: { queue: string; tasks: number }[]): Check {
  if (counts.length === 0) return ok(NAME, 'no stored work was set aside');
  const what = counts.map(({ queue, tasks }) => `${tasks} of ${queue}`).join(', ');
  return warn(
    NAME,
    `set aside because the server or its worker died with it three times: ${what}`,
    'find the cause in the log of the last deaths, then run: tramontane quarantine list; tramontane quarantine retry <id>',
  );
}
