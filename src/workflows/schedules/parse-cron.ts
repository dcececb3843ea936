import type { CalendarFields } from './calendar.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const NICKNAMES: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** The message is for the client. */
export class BadCron extends Error {}

type Field = { name: string; min: number; max: number; names: string[]; namesFrom: number };

const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [], namesFrom: 0 },
  { name: 'hour', min: 0, max: 23, names: [], namesFrom: 0 },
  { name: 'day of the month', min: 1, max: 31, names: [], namesFrom: 0 },
  { name: 'month', min: 1, max: 12, names: MONTHS, namesFrom: 1 },
  // Both 0 and 7 are Sunday.
  { name: 'day of the week', min: 0, max: 7, names: DAYS, namesFrom: 0 },
];

/** Five fields: minute, hour, day of the month, month, day of the week. */
export function parseCron(expression: string): CalendarFields {
  const trimmed = expression.trim();
  const texts = (NICKNAMES[trimmed.toLowerCase()] ?? trimmed).split(/\s+/);
  if (texts.length !== FIELDS.length)
    throw new BadCron('A cron expression has five fields: minute, hour, day of the month, month, day of the week.');
  const [minute, hour, dayOfMonth, month, weekdays] = FIELDS.map((field, index) =>
    parseField(field, texts[index] ?? ''),
  );
  if (!minute || !hour || !dayOfMonth || !month || !weekdays) throw new BadCron('A field is empty.');
  const dayOfWeek = new Set([...weekdays].map((day) => day % 7));
  const isOpen = (index: number) => /^[*?]/.test(texts[index] ?? '');
  return {
    second: new Set([0]),
    minute,
    hour,
    dayOfMonth,
    month,
    year: new Set(),
    dayOfWeek,
    eitherDay: !isOpen(2) && !isOpen(4),
  };
}

function parseField(field: Field, text: string): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [range = '', step, ...rest] = part.split('/');
    const every = step === undefined ? 1 : Number(step);
    if (rest.length > 0 || !/^\d*$/.test(step ?? '') || !(every >= 1))
      throw new BadCron(`'${part}' is not a valid ${field.name}: a step is a whole number from 1.`);
    const [from, to] = parseRange(field, range, step !== undefined);
    for (let value = from; value <= to; value += every) values.add(value);
  }
  return values;
}

function parseRange(field: Field, text: string, hasStep: boolean): [number, number] {
  if (text === '*' || text === '?') return [field.min, field.name === 'day of the week' ? 6 : field.max];
  const [first = '', last, ...rest] = text.split('-');
  const from = parseValue(field, first);
  // `5/10` means every tenth value from 5 on; `5` alone is only 5.
  const to = last === undefined ? (hasStep ? field.max : from) : parseValue(field, last);
  if (rest.length > 0 || to < from) throw new BadCron(`'${text}' is not a valid range for the ${field.name}.`);
  return [from, to];
}

function parseValue(field: Field, text: string): number {
  const named = field.names.indexOf(text.toLowerCase());
  const value = named === -1 ? (/^\d+$/.test(text) ? Number(text) : Number.NaN) : named + field.namesFrom;
  if (!(value >= field.min && value <= field.max))
    throw new BadCron(`'${text}' is not a valid ${field.name}: it must be between ${field.min} and ${field.max}.`);
  return value;
}
