import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';
import { fillLibrary, type Measured, measureSearch, openSearch } from '../processes/search-chunks.ts';
import { median, percentile } from '../statistics.ts';

const SQLITE_MS_MAX = 40;
const POSTGRES_MS_MAX = 20;
const RECALL_MIN = 0.95;
const CHUNKS = { full: 100_000, quick: 4000 };
const QUERIES = { full: 60, quick: 10 };

/** A server with the extension pgvector, in which an empty database is named. */
const pgvector = process.env.TRAMONTANE_TEST_PGVECTOR_URL;

export const search: Benchmark = {
  name: 'search',
  summary: 'hybrid search in one library of 100,000 chunks of 512 dimensions, half of the searches with a filter',
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      const size = quick ? 'quick' : 'full';
      const measure = async (url: string | undefined): Promise<Measured> => {
        const kind = url ? 'PostgreSQL' : 'SQLite';
        const { database, retrieval } = await openSearch(directory, url);
        try {
          const library = await fillLibrary(retrieval, `bench-${Date.now()}`, CHUNKS[size], (done) => {
            if (done % 5000 === 0) progress(`search: ${kind}, ${done} chunks`);
          });
          progress(`search: ${kind}, vectors`);
          await retrieval.idle();
          progress(`search: ${kind}, queries`);
          return await measureSearch(retrieval, library, QUERIES[size]);
        } finally {
          await retrieval.stop();
          await database.close();
        }
      };
      const figures = figuresOf('SQLite', await measure(undefined), 'cpuMs', SQLITE_MS_MAX);
      if (pgvector) figures.push(...figuresOf('PostgreSQL', await measure(pgvector), 'wallMs', POSTGRES_MS_MAX));
      return figures;
    }),
};

function figuresOf(kind: string, measured: Measured, of: 'cpuMs' | 'wallMs', most: number): Figure[] {
  const p95 = percentile(measured[of], 0.95).toFixed(1);
  const wall = median(measured.wallMs).toFixed(1);
  return [
    {
      name: `${kind}: hybrid search, p50 ${of === 'cpuMs' ? 'of CPU' : 'of time'}`,
      value: median(measured[of]),
      unit: 'ms',
      target: { at: '≤', value: most },
      note: `p95 ${p95} ms, p50 of time ${wall} ms`,
    },
    {
      name: `${kind}: nearest ten, of those of an exact scan`,
      value: measured.recall,
      unit: '',
      target: { at: '≥', value: RECALL_MIN },
    },
  ];
}
