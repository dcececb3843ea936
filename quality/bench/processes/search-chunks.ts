import { join } from 'node:path';
import { migrations } from '../../../migrations/index.ts';
import { createAuditService } from '../../../src/audit/index.ts';
import { createEmbeddingService } from '../../../src/embeddings/index.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import { type DatabaseOptions, migrate, openDatabase } from '../../../src/kit/db/index.ts';
import { createPageTokens } from '../../../src/kit/http/index.ts';
import { createRetrievalService, type Filter, type RetrievalService } from '../../../src/retrieval/index.ts';
import { callerForTests } from '../../../src/retrieval/retrieval-for-tests.ts';
import { CHUNKS_PER_DOCUMENT, DIMENSIONS, type Library, near, random, unit, YEARS } from './fill-chunks.ts';

const TOP = 10;
const WARM_UP = 3;

export async function openSearch(directory: string, url: string | undefined) {
  const options: DatabaseOptions = url
    ? { kind: 'postgres', url }
    : { kind: 'sqlite', file: join(directory, 'search.db') };
  const database = await openDatabase(options);
  await migrate(database, migrations, '99.0.0', new Date().toISOString());
  const now = Date.now;
  const models = { find: () => undefined, served: () => [] };
  const meter = { reserve: () => ({ settle: () => undefined }) };
  const retrieval = createRetrievalService({
    database,
    audit: createAuditService({ database, now }),
    models,
    embeddings: createEmbeddingService({ models, meter, now }),
    meter,
    authority: { scopeOf: () => callerForTests('w1').scope },
    tokens: createPageTokens('bench'),
    now,
    log: createLog('error'),
  });
  await retrieval.start();
  return {
    database,
    retrieval,
    async close() {
      await retrieval.stop();
      await database.close();
    },
  };
}

export type Measured = { cpuMs: number[]; wallMs: number[]; recall: number };

/** Hybrid searches one after another; every other one with a filter that lets half of the documents through. */
export async function measureSearch(retrieval: RetrievalService, library: Library, queries: number): Promise<Measured> {
  const measured: Measured = { cpuMs: [], wallMs: [], recall: 0 };
  let found = 0;
  for (let i = -WARM_UP; i < queries; i++) {
    const at = Math.floor(random() * library.vectors.length);
    const vector = near(library.vectors[at] as Float32Array, 0.02);
    const words = (library.texts[at] as string).split(' ');
    const query = Array.from({ length: 6 }, () => words[Math.floor(random() * words.length)]).join(' ');
    const filter: Filter | undefined = i % 2 ? { type: 'range', field: 'year', gte: 2000 + YEARS / 2 } : undefined;
    const request = {
      collections: [{ workspaceId: 'w1', collectionId: library.id }],
      query,
      vector: Array.from(vector),
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
  const best: { at: number; score: number }[] = [];
  for (const [at, vector] of vectors.entries()) {
    if (isFiltered && Math.floor(at / CHUNKS_PER_DOCUMENT) % YEARS < YEARS / 2) continue;
    let score = 0;
    for (let i = 0; i < DIMENSIONS; i++) score += (vector[i] as number) * (query[i] as number);
    if (best.length === TOP && score <= (best[TOP - 1]?.score ?? 0)) continue;
    best.push({ at, score });
    best.sort((a, b) => b.score - a.score).splice(TOP);
  }
  return new Set(best.map(({ at }) => `d${at - (at % CHUNKS_PER_DOCUMENT)}#${at % CHUNKS_PER_DOCUMENT}`));
}
