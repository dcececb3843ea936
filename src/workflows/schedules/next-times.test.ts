import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { parseDuration } from '../schema/parse-duration.ts';
import { createBudget, jitterOf, nextTime, type Timetable } from './next-times.ts';
import { BadCron, parseCron } from './parse-cron.ts';
import { parseTimetable } from './parse-timetable.ts';
import { offsetAt } from './zone-offsets.ts';

const times = (table: Timetable, after: string, count: number): string[] => {
  const found: string[] = [];
  for (let at = Date.parse(after); found.length < count; ) {
    const next = nextTime(table, at, createBudget());
    if (next === undefined) break;
    found.push(new Date(next).toISOString());
    at = next;
  }
  return found;
};
const cron = (expression: string, time_zone_name?: string, more = {}) =>
  parseTimetable({ cron_expressions: [expression], time_zone_name: time_zone_name ?? null, ...more });

describe('cron', () => {
  it('reads lists, ranges, steps and names', () => {
    const fields = parseCron('*/20 9-17/4 1,15 jan-mar MON-fri');
    expect([...fields.minute]).toEqual([0, 20, 40]);
    expect([...fields.hour]).toEqual([9, 13, 17]);
    expect([...fields.dayOfMonth]).toEqual([1, 15]);
    expect([...fields.month]).toEqual([1, 2, 3]);
    expect([...fields.dayOfWeek]).toEqual([1, 2, 3, 4, 5]);
    expect([...parseCron('5/25 0 * * 7').minute]).toEqual([5, 30, 55]);
    expect([...parseCron('0 0 * * 7').dayOfWeek]).toEqual([0]);
    expect(parseCron('@daily')).toEqual(parseCron('0 0 * * *'));
  });

  it('refuses what is no expression', () => {
    for (const text of [
      '',
      '* * * *',
      '60 * * * *',
      '* 24 * * *',
      '* * 0 * *',
      '* * * 13 *',
      '* * * * 8',
      '5-1 * * * *',
      '*/0 * * * *',
      'x * * * *',
      '1-2-3 * * * *',
    ])
      expect(() => parseCron(text), text).toThrow(BadCron);
  });

  it('takes either day when both days are restricted', () => {
    expect(times(cron('0 0 13 * 5'), '2026-02-01T00:00:00Z', 4)).toEqual([
      '2026-02-06T00:00:00.000Z',
      '2026-02-13T00:00:00.000Z',
      '2026-02-20T00:00:00.000Z',
      '2026-02-27T00:00:00.000Z',
    ]);
  });

  it('finds leap days, and never 30 February', () => {
    expect(times(cron('0 0 29 2 *'), '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T00:00:00.000Z',
      '2032-02-29T00:00:00.000Z',
    ]);
    expect(nextTime(cron('0 0 30 2 *'), 0, createBudget())).toBeUndefined();
  });
});

describe('clocks that change', () => {
  it('does what the clocks skip as much later, and once what they show twice', () => {
    // In Paris the clocks skip 02:00 to 03:00 on 29 March 2026, and show it twice on 25 October.
    expect(times(cron('30 2 * * *', 'Europe/Paris'), '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    expect(times(cron('30 2 * * *', 'Europe/Paris'), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('goes on through the change with what happens every hour', () => {
    expect(times(cron('0 * * * *', 'Europe/Paris'), '2026-10-24T23:30:00Z', 4)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
      '2026-10-25T03:00:00.000Z',
    ]);
    expect(times(cron('0 * * * *', 'Europe/Paris'), '2026-03-28T23:30:00Z', 3)).toEqual([
      '2026-03-29T00:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T02:00:00.000Z',
    ]);
  });

  it('knows zones that change by half an hour, and days that a country left out', () => {
    expect(times(cron('15 2 * * *', 'Australia/Lord_Howe'), '2026-10-02T20:00:00Z', 2)).toEqual([
      '2026-10-03T15:45:00.000Z',
      '2026-10-04T15:15:00.000Z',
    ]);
    expect(times(cron('0 12 * * *', 'Pacific/Apia'), '2011-12-29T12:00:00Z', 3)).toEqual([
      '2011-12-29T22:00:00.000Z',
      '2011-12-30T22:00:00.000Z',
      '2011-12-31T22:00:00.000Z',
    ]);
  });

  it('finds every minute that the clock shows and no other, in any zone', () => {
    const zones = [
      'UTC',
      'Europe/Paris',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'America/Sao_Paulo',
    ];
    const MINUTE = 60_000;
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2027, 0) }),
        fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 3 }),
        (zone, from, minutes) => {
          const start = Math.floor(from / MINUTE) * MINUTE;
          const shown: string[] = [];
          for (let at = start + MINUTE; at <= start + 36 * 60 * MINUTE; at += MINUTE) {
            const local = new Date(at + offsetAt(zone, at));
            if (minutes.includes(local.getUTCMinutes())) shown.push(new Date(at).toISOString());
          }
          const found = times(cron(`${minutes.join(',')} * * * *`, zone), new Date(start).toISOString(), shown.length);
          expect(found).toEqual(shown);
        },
      ),
      { numRuns: rounds(10, 40) },
    );
  });

  it('runs once a day at a fixed time, whatever the clocks do', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo'),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        (zone, hour, minute) => {
          const found = times(cron(`${minute} ${hour} * * *`, zone), '2025-12-31T12:00:00Z', 370).map((at) =>
            Date.parse(at),
          );
          const days = found.map((at) => new Date(at + offsetAt(zone, at)).toISOString().slice(0, 10));
          expect(new Set(days).size).toBe(370);
          for (const [index, at] of found.slice(1).entries())
            expect(Math.abs(at - (found[index] ?? 0) - 86_400_000)).toBeLessThanOrEqual(3_600_000);
        },
      ),
      { numRuns: rounds(4, 12) },
    );
  });
});

describe('timetables', () => {
  const range = (start: number, end = 0, step = 0) => [{ start, end, step }];
  const everyDay = {
    day_of_month: range(1, 31),
    month: range(1, 12),
    year: [],
    day_of_week: range(0, 6),
    comment: null,
  };

  it('are the union of calendars, intervals and crons, without what is skipped', () => {
    const calendar = { ...everyDay, second: range(30), minute: range(0, 59, 20), hour: range(10) };
    const skip = [{ ...everyDay, second: range(0, 59), minute: range(0, 59), hour: range(11) }];
    const table = parseTimetable({
      calendars: [calendar],
      intervals: [{ every: 'PT1H', offset: 'PT15M' }],
      cron_expressions: ['0 12 * * *'],
      skip,
    });
    expect(times(table, '2026-01-01T10:00:00Z', 6)).toEqual([
      '2026-01-01T10:00:30.000Z',
      '2026-01-01T10:15:00.000Z',
      '2026-01-01T10:20:30.000Z',
      '2026-01-01T10:40:30.000Z',
      '2026-01-01T12:00:00.000Z',
      '2026-01-01T12:15:00.000Z',
    ]);
  });

  it('give up on what never comes after a fixed number of steps, however many calendars there are', () => {
    const everySecond = { ...everyDay, second: range(0, 59), minute: range(0, 59), hour: range(0, 23) };
    const calendars = Array.from({ length: 100 }, () => everySecond);
    const skipped = parseTimetable({ calendars, skip: [everySecond], time_zone_name: 'Europe/Paris' });
    const impossible = parseTimetable({ cron_expressions: Array.from({ length: 100 }, () => '0 0 31 2,4,6,9,11 *') });
    for (const table of [skipped, impossible]) {
      const budget = createBudget();
      expect(nextTime(table, Date.UTC(2026, 0), budget)).toBeUndefined();
      expect(budget.steps).toBeLessThanOrEqual(0);
      expect(budget.steps).toBeGreaterThan(-1000);
    }
  });

  it('skip a long period at once, however often something would start in it', () => {
    const nights = {
      ...everyDay,
      second: range(0, 59),
      minute: range(0, 59),
      hour: [...range(22, 23), ...range(0, 5)],
    };
    for (const zone of ['UTC', 'Europe/Paris', 'Australia/Lord_Howe']) {
      const table = parseTimetable({ intervals: [{ every: 'PT1S' }], skip: [nights], time_zone_name: zone });
      for (const day of [Date.UTC(2026, 2, 28, 23), Date.UTC(2026, 9, 3, 12), Date.UTC(2026, 9, 24, 23)]) {
        const at = nextTime(table, day, createBudget()) ?? 0;
        const shown = new Date(at + offsetAt(zone, at)).getUTCHours();
        expect(shown).toBeGreaterThanOrEqual(6);
        expect(shown).toBeLessThan(22);
        // Nothing in between was left out.
        for (let earlier = day + 1000; earlier < at; earlier += 60_000) {
          const hour = new Date(earlier + offsetAt(zone, earlier)).getUTCHours();
          expect(hour >= 22 || hour < 6, `${zone} ${new Date(earlier).toISOString()}`).toBe(true);
        }
      }
    }
  });

  it('find a rare day far ahead within the budget, in a zone with clock changes too', () => {
    const rare = parseTimetable({
      calendars: [
        {
          ...everyDay,
          second: range(0),
          minute: range(0),
          hour: range(9),
          day_of_month: range(29),
          month: range(2),
          day_of_week: range(1),
        },
      ],
      time_zone_name: 'Europe/Paris',
    });
    expect(times(rare, '2026-01-01T00:00:00Z', 2)).toEqual(['2044-02-29T08:00:00.000Z', '2072-02-29T08:00:00.000Z']);
  });

  it('refuse an empty field, which would match no time', () => {
    for (const name of ['second', 'minute', 'hour', 'day_of_month', 'month', 'day_of_week'])
      expect(() =>
        parseTimetable({
          calendars: [{ ...everyDay, second: range(0), minute: range(0), hour: range(0), [name]: [] }],
        }),
      ).toThrow(expect.objectContaining({ items: [expect.objectContaining({ loc: expect.arrayContaining([name]) })] }));
  });

  it('refuse more ranges than a start may cost', () => {
    const wide = {
      ...everyDay,
      second: Array.from({ length: 100 }, () => ({ start: 0, end: 59, step: 0 })),
      minute: range(0),
      hour: range(0),
    };
    expect(() => parseTimetable({ calendars: Array.from({ length: 30 }, () => wide) })).toThrow(
      expect.objectContaining({ items: [expect.objectContaining({ type: 'schedule_too_expensive' })] }),
    );
  });

  it('begin and end when they are told to', () => {
    const table = cron('0 0 * * *', 'UTC', { start_at: '2026-01-03T00:00:00', end_at: '2026-01-04T01:00:00+01:00' });
    expect(times(table, '2025-01-01T00:00:00Z', 5)).toEqual(['2026-01-03T00:00:00.000Z', '2026-01-04T00:00:00.000Z']);
  });

  it('delay each start by a part of the jitter that is always the same', () => {
    const table = cron('* * * * *', 'UTC', { jitter: 'PT10M' });
    const delayAt = (at: number) => jitterOf(table, 's', at, createBudget());
    const delays = Array.from({ length: 200 }, (_, n) => delayAt(Date.UTC(2026, 0) + n * 60_000));
    expect(Math.max(...delays)).toBeLessThan(60_000);
    expect(new Set(delays).size).toBeGreaterThan(150);
    expect(delayAt(Date.UTC(2026, 0))).toBe(delays[0]);
  });

  it('say what is wrong with them', () => {
    const refused = (definition: Parameters<typeof parseTimetable>[0], at: string) =>
      expect(() => parseTimetable(definition), at).toThrow(
        expect.objectContaining({ items: [expect.objectContaining({ loc: expect.arrayContaining([at]) })] }),
      );
    refused({ time_zone_name: 'Mars/Olympus' }, 'time_zone_name');
    refused({ intervals: [{ every: 'P1M' }] }, 'every');
    refused({ intervals: [{ every: 'PT0.5S' }] }, 'every');
    refused({ jitter: 'soon' }, 'jitter');
    refused({ cron_expressions: ['x'] }, 'cron_expressions');
    refused({ calendars: [{ ...everyDay, second: range(0), minute: range(0), hour: range(24) }] }, 'hour');
  });

  it('read durations', () => {
    expect(parseDuration('P1DT2H3M4.5S')).toBe(93_784_500);
    expect(parseDuration('P2W')).toBe(1_209_600_000);
    for (const text of ['P', 'PT', 'P1Y', '1H', 'PT1X', 'P1D T1H']) expect(parseDuration(text)).toBeUndefined();
  });
});
