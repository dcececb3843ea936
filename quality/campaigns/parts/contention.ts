import { join } from 'node:path';
import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { type Contention, contend } from '../contention/contend.ts';
import { withPostgres } from '../serve/with-postgres.ts';

const SHOWN_MAX = 5;

export const contention: Benchmark = {
  name: 'contention',
  summary: 'every changing operation many times at once on the same objects, and all of a family of paths mixed',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      // Rows wait for each other on PostgreSQL only; SQLite has one writer at a time.
      const figures = options.quick
        ? []
        : figuresOf('SQLite', await contend(join(directory, 'sqlite'), undefined, options));
      const onPostgres = await withPostgres((database) => contend(join(directory, 'postgres'), database, options));
      if (onPostgres) return [...figures, ...figuresOf('PostgreSQL', onPostgres)];
      if (!options.quick) throw new Error('The contention part needs PostgreSQL. Install it, or name one by its URL.');
      return figuresOf('SQLite', await contend(join(directory, 'sqlite'), undefined, options));
    }),
};

function figuresOf(on: string, found: Contention): Figure[] {
  const zero = (name: string, list: readonly string[]): Figure => ({
    name: `${name}, on ${on}`,
    value: list.length,
    unit: '',
    target: { at: '≤', value: 0 },
    note: list.length > 0 ? [...new Set(list)].slice(0, SHOWN_MAX).join('\n') : 'none',
  });
  const { operations, asked, succeeded, sentAgain, failed, damage } = found;
  return [
    {
      name: `changes that met others, on ${on}`,
      value: asked,
      unit: '',
      note: `${operations} operations; ${succeeded} succeeded, ${sentAgain} were asked to be sent again`,
    },
    zero('five-hundreds, or no answer', failed),
    zero('damage in the tables', damage),
  ];
}
