import type { Schedule } from './queries.ts';

export const overlaps = [
  { value: '1', label: 'Skip' },
  { value: '2', label: 'Queue one' },
  { value: '3', label: 'Queue all' },
  { value: '4', label: 'Cancel the running one' },
  { value: '5', label: 'Terminate the running one' },
  { value: '6', label: 'Run in parallel' },
] as const;

type Times = Pick<Schedule, 'cron_expressions' | 'intervals' | 'calendars' | 'time_zone_name'>;

/** One line with the times of a schedule. */
export function describeSchedule({ cron_expressions, intervals, calendars, time_zone_name }: Times): string {
  const parts = [
    ...(cron_expressions ?? []).map((expression) => expression),
    ...(intervals ?? []).map(
      ({ every, offset }) => `every ${formatIsoDuration(every)}${offset ? `, ${formatIsoDuration(offset)} in` : ''}`,
    ),
    ...(calendars ?? []).map(({ comment }) => comment || 'by calendar'),
  ];
  const times = parts.join('; ') || 'never';
  return (cron_expressions?.length || calendars?.length) && time_zone_name ? `${times} (${time_zone_name})` : times;
}

const GENERATED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id that somebody gave it; one that was generated says nothing. */
export function nameSchedule(schedule: Schedule): string {
  const { schedule_id, workflow_name } = schedule;
  return GENERATED.test(schedule_id) ? `${workflow_name}, ${describeSchedule(schedule)}` : schedule_id;
}

const UNITS: Record<string, string> = { D: 'd', H: 'h', M: 'min', S: 's', W: 'w' };

/** `PT1H30M` as `1 h 30 min`; other values unchanged. */
export function formatIsoDuration(iso: string): string {
  const [date = '', time = ''] = iso.replace(/^P/, '').split('T');
  const parts = [...date.matchAll(/([\d.]+)([DW])/g), ...time.matchAll(/([\d.]+)([HMS])/g)];
  const words = parts.map(([, count, unit]) => `${count} ${UNITS[unit ?? '']}`).join(' ');
  return words === '' ? iso : words;
}
