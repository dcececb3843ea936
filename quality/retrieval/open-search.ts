import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { createAuditService } from '../../src/audit/index.ts';
import { createEmbeddingService } from '../../src/embeddings/index.ts';
import { createEmbedEngine } from '../../src/engines/embed/index.ts';
import { createUpstreamEngine } from '../../src/engines/index.ts';
import { weightsForTests } from '../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../src/kit/base/log.ts';
import { migrate, openDatabase } from '../../src/kit/db/index.ts';
import type { Scope } from '../../src/kit/http/index.ts';
import { createPageTokens } from '../../src/kit/http/index.ts';
import type { Call } from '../../src/metering/index.ts';
import type { Model } from '../../src/models/index.ts';
import { createRetrievalService, type RetrievalPorts } from '../../src/retrieval/index.ts';
import { LIMIT, type Search } from './measure.ts';
import type { SetChunk } from './read-set.ts';

const PLACE = { organizationId: 'o1', workspaceId: 'w1', collectionId: 'marisel' };
const scope = { organization_id: 'o1', workspace_id: 'w1', user_id: 'u1', key_id: 'k1' } as Scope;
const caller: Call = {
  scope,
  requestId: 'r1',
  signal: new AbortController().signal,
  setHeader: () => undefined,
};

/** A server with `/rerank`, and the name of its model. */
export type Reranker = { url: string; model: string };
const RERANKING_ID = 'reranker';
const RERANK_MS_MAX = 60_000;

/** Indexes the passages in a fresh database with the vectors of one embedding model, and searches as the server does. */
export async function openSearch(
  chunks: SetChunk[],
  modelId: string,
  directory: string,
  reranker?: Reranker,
): Promise<{ search: Search; close(): Promise<void> }> {
  const weights = await weightsForTests(modelId);
  if (!weights) throw new Error(`the weights of ${modelId} are not here, and no source gives them`);
  const [modelFile = '', tokenizerFile = ''] = weights.files;
  const log = createLog('silent');
  const engine = createEmbedEngine({ modelFile, tokenizerFile, log });
  const database = await openDatabase({ kind: 'sqlite', file: join(directory, `${modelId}.db`) });
  await migrate(database, migrations, '9.9.9', new Date().toISOString());
  const now = () => Date.now();
  const models = modelsOf({ [modelId]: engine, ...(reranker && { [RERANKING_ID]: openReranker(reranker) }) });
  const meter = { reserve: () => ({ settle: () => undefined }) };
  const service = createRetrievalService({
    database,
    audit: createAuditService({ database, now }),
    models,
    embeddings: createEmbeddingService({ models, meter, now }),
    authority: { scopeOf: () => scope },
    embeddingModel: modelId,
    meter,
    rerankingModel: reranker && RERANKING_ID,
    tokens: createPageTokens('retrieval'),
    now,
    log,
  });
  await service.start();
  for (const [documentId, own] of Map.groupBy(chunks, (chunk) => chunk.documentId))
    await service.put({
      ...PLACE,
      documentId,
      title: own[0]?.title ?? '',
      language: null,
      attributes: {},
      chunks: own.map(({ position, text, kind, headings, page, boxes, parent }) => ({
        position,
        text,
        kind,
        headings,
        page,
        boxes,
        parent,
      })),
    });
  await service.idle();
  return {
    search: (question, mode, rerank) =>
      service.search({ collections: [PLACE], query: question.text, limit: LIMIT, mode, rerank, caller }),
    async close() {
      await service.stop();
      await engine.close();
      await database.close();
    },
  };
}

function openReranker({ url, model }: Reranker): Model['engine'] {
  return createUpstreamEngine({
    targets: [{ url, model, apiKey: undefined, timeoutMs: RERANK_MS_MAX }],
    reranks: true,
  });
}

function modelsOf(engines: Record<string, Model['engine']>): RetrievalPorts['models'] {
  const models = Object.entries(engines).map(
    ([id, engine]): Model => ({
      id,
      aliases: [],
      name: null,
      description: null,
      max_context_length: 8192,
      capabilities: { completion_chat: false } as Model['capabilities'],
      deprecation: null,
      replacement: null,
      temperature: null,
      engine,
    }),
  );
  return { find: (name) => models.find(({ id }) => id === name), served: () => models };
}
