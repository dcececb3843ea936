import { join } from 'node:path';
import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { withPostgres } from '../serve/with-postgres.ts';
import { exceptions } from '../tenants/exceptions.ts';
import { type Findings, runCampaign } from '../tenants/run-campaign.ts';

/** Foreign and missing may differ by less than an extra database query takes, which is a third or more. */
const RATIO_MAX = 1.15;
const SHOWN_MAX = 5;

export const tenants: Benchmark = {
  name: 'tenants',
  summary: 'every operation × every id that is somebody else’s × everybody whom it does not belong to',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const figures = figuresOf('SQLite', await runCampaign(join(directory, 'sqlite'), undefined, options));
      if (options.quick) return figures;
      const onPostgres = await withPostgres((database) => runCampaign(join(directory, 'postgres'), database, options));
      if (!onPostgres) throw new Error('The tenants part needs PostgreSQL. Install it, or name one by its URL.');
      return [...figures, ...figuresOf('PostgreSQL', onPostgres)];
    }),
};

function figuresOf(on: string, found: Findings): Figure[] {
  const zero = (name: string, list: readonly string[]): Figure => ({
    name: `${name}, on ${on}`,
    value: list.length,
    unit: '',
    target: { at: '≤', value: 0 },
    note: list.length > 0 ? list.slice(0, SHOWN_MAX).join('\n') : 'none',
  });
  const { asked, operations, places, slowest, compared } = found;
  return [
    {
      name: `questions about what is somebody else’s, on ${on}`,
      value: asked,
      unit: '',
      note: `${operations} operations, ${places} places for an id, ${exceptions.length} named exceptions`,
    },
    zero('fields that nobody has considered', found.unconsidered),
    zero('keys that were not turned away', found.turnedAwayWrongly),
    zero('answers other than 401, 403, 404 or a named exception', found.wrongStatus),
    zero('answers that tell foreign from missing', found.told),
    zero('answers that show something of the owner', found.shown),
    zero('rows of the owner that were touched', found.touched),
    ...(slowest
      ? [
          {
            name: `foreign against missing in time, the largest ratio, on ${on}`,
            value: slowest.ratio,
            unit: '',
            target: { at: '≤' as const, value: RATIO_MAX },
            note: `${slowest.place}, ${slowest.foreignMs.toFixed(3)} against ${slowest.missingMs.toFixed(3)} ms; ${compared} places`,
          },
        ]
      : []),
  ];
}
