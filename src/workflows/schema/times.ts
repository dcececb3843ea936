import { z } from 'zod';

/** Normalizes a query time to the stored form: ISO 8601 in UTC with microseconds. Without an offset it means UTC. */
export function queryTime() {
  return z.iso.datetime({ offset: true, local: true }).transform(toUtcMicros);
}

export function toUtcMicros(text: string): string {
  const [, head = '', fraction = '', offset = 'Z'] =
    /^(.*?T\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
  const seconds = new Date(`${head}${offset}`).toISOString().slice(0, 19);
  return `${seconds}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}
