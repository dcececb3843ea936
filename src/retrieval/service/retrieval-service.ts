import type { AuditService } from '../../audit/index.ts';
import type { EmbeddingService } from '../../embeddings/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { WatchQueue } from '../../kit/fair-queue/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import { createTaskRunner, createTasks } from '../../kit/tasks/index.ts';
import type { Meter } from '../../metering/index.ts';
import { canEmbed, type ModelService } from '../../models/index.ts';
import type { Authority } from '../../tenants/index.ts';
import { createCandidateFinder } from '../search/create-candidate-finder.ts';
import { createReranker } from './create-reranker.ts';
import { createDocumentIndex, type DocumentIndex } from './document-index.ts';
import { createIndexService, type IndexService, type Summarize } from './index-service.ts';
import { createIndexTasks, INDEX_QUEUE } from './index-tasks.ts';
import { openExtension, prepareVectors } from './prepare-vectors.ts';
import { createRagService, type RagService } from './rag-service.ts';
import { createIndexTaskHandler } from './run-index-tasks.ts';
import { createSearch, type Search } from './search.ts';
import { createVectorSets } from './vector-sets.ts';
import { createModelWatch } from './watch-models.ts';

const CONCURRENCY = 4;
const TURNS = { perTenantMax: 2, perKeyMax: 2 };
const STOP_MS = 5000;
const NEAREST_MIN = 5000;

export type RetrievalService = DocumentIndex & {
  search: Search;
  /** What `/v1/context/search-indexes` and `/v1/rag` are served by. */
  indexes: IndexService;
  rag: RagService;
  /** Loads the embedding model, which takes seconds, while the first document is still being read. */
  warmUp(workspaceId: string): void;
  /** Whether PostgreSQL searches vectors with pgvector. */
  usesNearest(): boolean;
  /** Begins the background work, and new vectors where the configured model has changed. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when no background work is left, for tests and commands. */
  idle(): Promise<void>;
  /** Removes what a process left that died while it indexed a document, and the indexes of archived workspaces. */
  prune(): Promise<void>;
};

export type RetrievalPorts = {
  database: Database;
  audit: AuditService;
  models: Pick<ModelService, 'find' | 'served'>;
  embeddings: EmbeddingService;
  authority: Pick<Authority, 'scopeOf'>;
  now: Clock;
  log: Logger;
  /** The configured model of documents; default: the first one for embeddings. */
  embeddingModel?: string | undefined;
  /** Pays for the reranking model. */
  meter: Meter;
  rerankingModel?: string | undefined;
  summarize?: Summarize | undefined;
  tokens: PageTokens;
  /** So many vectors have an index of pgvector, where it is there; default 5000. */
  nearestMin?: number | undefined;
  /** Shows the turns of searches in the metrics. */
  watch?: WatchQueue | undefined;
};

export function createRetrievalService(ports: RetrievalPorts): RetrievalService {
  const { database, models, now, log, nearestMin = NEAREST_MIN } = ports;
  const tasks = createIndexTasks(createTasks({ database, now }), { kind: database.kind, now });
  let hasNearest = false;
  const stopping = new AbortController();
  let preparing: Promise<void> = Promise.resolve();
  const model = () =>
    ports.embeddingModel === undefined
      ? models.served('').find(canEmbed)?.id
      : (models.find(ports.embeddingModel, '', 'embeddings')?.id ?? ports.embeddingModel);
  const sets = createVectorSets({ database, tasks, model, hasNearest: () => hasNearest, nearestMin });
  const finder = createCandidateFinder(database, ports.watch);
  const watch = createModelWatch(log);
  const { run, prune } = createIndexTaskHandler({ ...ports, tasks, sets, watch });
  const queues = { [INDEX_QUEUE]: { handler: run, concurrency: CONCURRENCY, turns: TURNS } };
  const runner = createTaskRunner({ database, now, log, queues });
  const documents = createDocumentIndex({ database, tasks, sets, now });
  const search = createSearch({
    ...ports,
    finder,
    watch,
    rerank: createReranker({ ...ports, model: ports.rerankingModel }),
  });
  return {
    ...documents,
    search,
    indexes: createIndexService({ ...ports, tasks, documents, search, sets }),
    rag: createRagService(ports),
    warmUp(workspaceId) {
      const { engine } = models.find(model() ?? '', workspaceId, 'embeddings') ?? {};
      // What goes wrong here goes wrong again, and is reported, when the document is embedded.
      engine?.warm?.(stopping.signal).catch(() => undefined);
    },
    usesNearest: () => hasNearest,
    prune,
    async idle() {
      await preparing;
      await runner.idle();
    },
    async start() {
      hasNearest = await openExtension({ database, log });
      runner.start();
      // However many collections there are, the server does not wait for them.
      preparing = prepareVectors({ database, tasks, sets }, hasNearest, stopping.signal).catch((error: unknown) =>
        log.error({ err: error }, 'the vectors of some documents could not be prepared; the next start tries again'),
      );
    },
    async stop() {
      stopping.abort();
      await preparing;
      await runner.stop(STOP_MS);
      await finder.close();
    },
  };
}
