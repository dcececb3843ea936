import { join } from 'node:path';
import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { withPostgres } from '../serve/with-postgres.ts';
import { type TriedValues, tryValues } from '../values/try-values.ts';

const SHOWN_MAX = 20;

export const values: Benchmark = {
  name: 'values',
  summary: 'small values that databases and indexes read otherwise, in every parameter and field of every operation',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const send = (on: string, database?: DatabaseOptions) => tryValues(join(directory, on), database, options);
      const onPostgres = await withPostgres((database) => send('PostgreSQL', database));
      // PostgreSQL refuses more, so the short form has enough of it.
      const onSqlite = options.quick && onPostgres ? undefined : await send('SQLite');
      if (!onPostgres && !options.quick)
        throw new Error('The values part needs PostgreSQL. Install it, or name one by its URL.');
      return [...figuresOf('SQLite', onSqlite), ...figuresOf('PostgreSQL', onPostgres)];
    }),
};

function figuresOf(on: string, found: TriedValues | undefined): Figure[] {
  if (!found) return [];
  const { operations, asked, accepted, failed } = found;
  return [
    { name: `values sent, on ${on}`, value: asked, unit: '', note: `${operations} operations; ${accepted} accepted` },
    {
      name: `five-hundreds, or no answer, on ${on}`,
      value: failed.length,
      unit: '',
      target: { at: '≤', value: 0 },
      note: failed.slice(0, SHOWN_MAX).join('\n') || 'none',
    },
  ];
}
