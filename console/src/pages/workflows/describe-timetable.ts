import type { Schedule } from './queries.ts';

export const overlaps = [
  { value: '1', label: 'Skip it' },
  { value: '2', label: 'Run it afterwards, one at most' },
  { value: '3', label: 'Run it afterwards, all of them' },
  { value: '4', label: 'Cancel the one that runs' },
  { value: '5', label: 'Terminate the one that runs' },
  { value: '6', label: 'Run it beside' },
] as const;

type Timetable = Pick<Schedule, 'cron_expressions' | 'intervals' | 'calendars' | 'time_zone_name'>;

/** When a schedule starts its workflow, in a line. */
export function describeTimetable({ cron_expressions, intervals, calendars, time_zone_name }: Timetable): string {
  const parts = [
    ...(cron_expressions ?? []).map((expression) => expression),
    ...(intervals ?? []).map(
      ({ every, offset }) => `every ${readDuration(every)}${offset ? `, ${readDuration(offset)} in` : ''}`,
    ),
    ...(calendars ?? []).map(({ comment }) => comment || 'by a calendar'),
  ];
  const times = parts.join('; ') || 'never';
  return (cron_expressions?.length || calendars?.length) && time_zone_name ? `${times} (${time_zone_name})` : times;
}

const UNITS: Record<string, string> = { D: 'd', H: 'h', M: 'min', S: 's', W: 'w' };

/** `PT1H30M` as `1 h 30 min`; what is not understood is shown as it is. */
export function readDuration(iso: string): string {
  const [date = '', time = ''] = iso.replace(/^P/, '').split('T');
  const parts = [...date.matchAll(/([\d.]+)([DW])/g), ...time.matchAll(/([\d.]+)([HMS])/g)];
  const words = parts.map(([, count, unit]) => `${count} ${UNITS[unit ?? '']}`).join(' ');
  return words === '' ? iso : words;
}
