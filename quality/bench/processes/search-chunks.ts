import { join } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { createEmbeddingService } from '../../../src/embeddings/index.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import { type DatabaseOptions, migrate, openDatabase } from '../../../src/kit/db/index.ts';
import { createPageTokens } from '../../../src/kit/http/index.ts';
import { createRetrievalService, type Filter, type RetrievalService } from '../../../src/retrieval/index.ts';
import { callerForTests, chunkForTests } from '../../../src/retrieval/retrieval-for-tests.ts';

const DIMENSIONS = 512;
const CLUSTERS = 2000;
const WORDS = 30_000;
const WORDS_PER_CHUNK = 80;
const CHUNKS_PER_DOCUMENT = 50;
const TOP = 10;
const YEARS = 10;

/** The same numbers in every run. */
let state = 1;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const normal = (): number => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
/** Few words are frequent and most are rare, as in a language. */
const word = (): string => `w${Math.floor(random() ** 4 * WORDS).toString(36)}`;

const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, normal));
const near = (centre: ArrayLike<number>, spread: number): number[] =>
  Array.from(centre, (value) => value + normal() * spread);

export type Library = { id: string; vectors: Float32Array[]; texts: string[] };

export async function openSearch(directory: string, url: string | undefined) {
  const options: DatabaseOptions = url
    ? { kind: 'postgres', url }
    : { kind: 'sqlite', file: join(directory, 'search.db') };
  const database = await openDatabase(options);
  await migrate(database, migrations, '99.0.0', new Date().toISOString());
  const now = Date.now;
  const models = { find: () => undefined, served: () => [] };
  const retrieval = createRetrievalService({
    database,
    models,
    embeddings: createEmbeddingService({ models, meter: { reserve: () => ({ settle: () => undefined }) }, now }),
    authority: { scopeOf: () => callerForTests('w1').scope },
    tokens: createPageTokens('bench'),
    now,
    log: createLog('error'),
  });
  await retrieval.start();
  return { database, retrieval };
}

/** Documents of fifty chunks, whose vectors are in clusters and whose words follow Zipf's law. */
export async function fillLibrary(
  retrieval: RetrievalService,
  name: string,
  chunks: number,
  onStep: (done: number) => void,
): Promise<Library> {
  const { scope } = callerForTests('w1');
  const config = { embedding: { type: 'custom' as const, name: 'bench', dimensions: DIMENSIONS } };
  const { id } = await retrieval.indexes.create(scope, { name, config });
  // About as many chunks of one topic in a small library as in a large one.
  const clusters = Math.min(CLUSTERS, chunks / CHUNKS_PER_DOCUMENT);
  const library: Library = { id, vectors: [], texts: [] };
  for (let first = 0; first < chunks; first += CHUNKS_PER_DOCUMENT) {
    const made = Array.from({ length: Math.min(CHUNKS_PER_DOCUMENT, chunks - first) }, (_, i) => {
      const vector = near(centres[Math.floor(random() * clusters)] as Float32Array, 0.8);
      const text = Array.from({ length: WORDS_PER_CHUNK }, word).join(' ');
      library.vectors.push(unit(vector));
      library.texts.push(text);
      return chunkForTests(i, text, { vector });
    });
    const documentId = `d${first}`;
    const attributes = { year: 2000 + ((first / CHUNKS_PER_DOCUMENT) % YEARS) };
    const ref = { organizationId: 'o1', workspaceId: 'w1', collectionId: id, documentId };
    await retrieval.put({ ...ref, title: '', language: 'xx', attributes, chunks: made });
    onStep(first);
  }
  return library;
}

const unit = (vector: ArrayLike<number>): Float32Array => {
  const length = Math.hypot(...Array.from(vector));
  return Float32Array.from(vector, (value) => value / length);
};

export type Measured = { cpuMs: number[]; wallMs: number[]; recall: number };

/** Hybrid searches one after another; every other one with a filter that lets half of the documents through. */
export async function measureSearch(retrieval: RetrievalService, library: Library, queries: number): Promise<Measured> {
  const measured: Measured = { cpuMs: [], wallMs: [], recall: 0 };
  let found = 0;
  for (let i = -3; i < queries; i++) {
    const at = Math.floor(random() * library.vectors.length);
    const vector = near(library.vectors[at] as Float32Array, 0.02);
    const words = (library.texts[at] as string).split(' ');
    const query = Array.from({ length: 6 }, () => words[Math.floor(random() * words.length)]).join(' ');
    const filter: Filter | undefined = i % 2 ? { type: 'range', field: 'year', gte: 2000 + YEARS / 2 } : undefined;
    const request = {
      collections: [{ workspaceId: 'w1', collectionId: library.id }],
      query,
      vector,
      filter,
      limit: TOP,
      caller: callerForTests('w1'),
    };
    const cpu = process.cpuUsage();
    const began = performance.now();
    await retrieval.search({ ...request, mode: 'hybrid' });
    const used = process.cpuUsage(cpu);
    if (i < 0) continue;
    measured.wallMs.push(performance.now() - began);
    measured.cpuMs.push((used.user + used.system) / 1000);
    const nearest = await retrieval.search({ ...request, mode: 'vector' });
    const exact = exactNearest(library, unit(vector), filter !== undefined);
    found += nearest.filter(({ documentId, position }) => exact.has(`${documentId}#${position}`)).length;
  }
  measured.recall = found / (queries * TOP);
  return measured;
}

function exactNearest({ vectors }: Library, query: Float32Array, isFiltered: boolean): Set<string> {
  const scored: { at: number; score: number }[] = [];
  for (const [at, vector] of vectors.entries()) {
    if (isFiltered && Math.floor(at / CHUNKS_PER_DOCUMENT) % YEARS < YEARS / 2) continue;
    let score = 0;
    for (let i = 0; i < DIMENSIONS; i++) score += (vector[i] as number) * (query[i] as number);
    scored.push({ at, score });
  }
  const best = scored.sort((a, b) => b.score - a.score).slice(0, TOP);
  return new Set(best.map(({ at }) => `d${at - (at % CHUNKS_PER_DOCUMENT)}#${at % CHUNKS_PER_DOCUMENT}`));
}
