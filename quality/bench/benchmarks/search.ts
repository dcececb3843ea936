import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hasPgvector, openPgvector } from '../../../test/support/pgvector.ts';
import { administer, databaseUrl } from '../../../test/support/templates.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';
import { copyLibrary, copyLibraryInPostgres, fillLibrary, withoutTextIndex } from '../processes/fill-chunks.ts';
import { type Measured, measureSearch, openSearch } from '../processes/search-chunks.ts';
import { median, percentile } from '../statistics.ts';

const SQLITE_MS_MAX = 40;
const POSTGRES_MS_MAX = 20;
const RECALL_MIN = 0.95;
const AMONG_OTHERS_MAX = 1.3;
const SIZES = {
  full: { chunks: 100_000, queries: 60, small: 10_000, libraries: 100 },
  quick: { chunks: 6000, queries: 10, small: 1000, libraries: 5 },
};
const WORDS = { large: 80, small: 40 };
/** One of them where only that is wanted: `sqlite` or `postgres`. */
const ONLY = process.env.TRAMONTANE_BENCH_DATABASE;

type Progress = (text: string) => void;
type Size = (typeof SIZES)['full'];

export const search: Benchmark = {
  name: 'search',
  summary:
    'hybrid search in a library of 100,000 chunks of 512 dimensions, half with a filter; one library of a hundred',
  async run({ quick, progress }) {
    const size = SIZES[quick ? 'quick' : 'full'];
    const figures: Figure[] = [];
    if (ONLY !== 'postgres') {
      figures.push(...figuresOf('SQLite', await measure(undefined, size, progress), 'cpuMs', SQLITE_MS_MAX));
      figures.push(await measureAmongOthers(size, progress));
    }
    if (hasPgvector && ONLY !== 'sqlite') {
      const measured = await withPgvector((url) => measure(url, size, progress));
      figures.push(...figuresOf('PostgreSQL', measured, 'wallMs', POSTGRES_MS_MAX));
      figures.push(await withPgvector((url) => measureAmongOthersInPostgres(url, size, progress)));
    }
    return figures;
  },
};

function measure(url: string | undefined, { chunks, queries }: Size, progress: Progress): Promise<Measured> {
  const kind = url ? 'PostgreSQL' : 'SQLite';
  return inTemporaryDir(async (directory) => {
    const { database, retrieval, close } = await openSearch(directory, url);
    try {
      const onStep = (done: number) => progress(`search: ${kind}, ${done} chunks`);
      const fill = { name: 'large', chunks, wordsPerChunk: WORDS.large };
      const library = await withoutTextIndex(database, () => fillLibrary(database, retrieval, fill, onStep));
      progress(`search: ${kind}, vectors`);
      await retrieval.idle();
      progress(`search: ${kind}, queries`);
      return await measureSearch(retrieval, library, queries);
    } finally {
      await close();
    }
  });
}

/** The same library alone, and among ninety-nine others in the same file. */
function measureAmongOthers({ small, queries, libraries }: Size, progress: Progress): Promise<Figure> {
  return inTemporaryDir(async (directory) => {
    const first = await openSearch(directory, undefined);
    const fill = { name: 'small', chunks: small, wordsPerChunk: WORDS.small };
    const library = await fillLibrary(first.database, first.retrieval, fill, () => undefined);
    await first.close();
    const cpuMs = async () => {
      const { retrieval, close } = await openSearch(directory, undefined);
      // A start looks at every library in the background.
      await retrieval.idle();
      const measured = await measureSearch(retrieval, library, queries);
      await close();
      return median(measured.cpuMs);
    };
    const alone = await cpuMs();
    copyLibrary(join(directory, 'search.db'), library, libraries - 1, (done) =>
      progress(`search: ${done} of ${libraries} libraries`),
    );
    const among = await cpuMs();
    return {
      name: `SQLite: one library of ${libraries} with ${small} chunks each, against that library alone`,
      value: among / alone,
      unit: '×',
      target: { at: '≤', value: AMONG_OTHERS_MAX },
      note: `${among.toFixed(1)} vs ${alone.toFixed(1)} ms of CPU`,
    };
  });
}

async function measureAmongOthersInPostgres(
  url: string,
  { small, queries, libraries }: Size,
  progress: Progress,
): Promise<Figure> {
  const first = await openSearch('', url);
  const fill = { name: 'small', chunks: small, wordsPerChunk: WORDS.small };
  const library = await withoutTextIndex(first.database, () =>
    fillLibrary(first.database, first.retrieval, fill, () => undefined),
  );
  await first.retrieval.idle();
  const wallMs = async () => median((await measureSearch(first.retrieval, library, queries)).wallMs);
  const alone = await wallMs();
  await copyLibraryInPostgres(first.database, library, libraries - 1, (done) =>
    progress(`search: PostgreSQL, ${done} of ${libraries} libraries`),
  );
  const among = await wallMs();
  await first.close();
  return {
    name: `PostgreSQL: one library of ${libraries} with ${small} chunks each, against that library alone`,
    value: among / alone,
    unit: '×',
    target: { at: '≤', value: AMONG_OTHERS_MAX },
    note: `${among.toFixed(1)} vs ${alone.toFixed(1)} ms`,
  };
}

async function withPgvector<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = await openPgvector();
  if (!server) throw new Error('there is no PostgreSQL with pgvector');
  const name = `bench_${randomBytes(6).toString('hex')}`;
  try {
    await administer(server.url, `create database ${name}`);
    return await work(databaseUrl(server.url, name));
  } finally {
    await administer(server.url, `drop database if exists ${name} with (force)`);
    await server.stop();
  }
}

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
