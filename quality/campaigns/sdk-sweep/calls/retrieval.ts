import { equal, ok } from 'node:assert/strict';
import type { Chapter } from '../platform.ts';

const field = {
  name: 'body',
  type: 'string' as const,
  storage: 'on_disk' as const,
  ranking: 'text' as const,
  indexType: 'bm25' as const,
  multidimensional: false,
};

export const retrieval: Chapter = async ({ beta: { rag } }) => {
  const { searchIndexes, ingestionPipelineConfigurations } = rag;
  const indexes = [{ name: 'docs', sd: 'schema docs {}', fields: [field] }];
  const { id: deploymentId } = await searchIndexes.registerDeployment({
    name: 'search',
    deployment: { type: 'vespa', vespaVersion: '8', queryUrl: 'https://vespa.example.com', indexes },
  });
  const requestBody = {
    status: 'online' as const,
    documentCount: 1,
    indexMetrics: [{ name: 'docs', documentCount: 1 }],
  };
  await searchIndexes.updateIndexMetrics({ deploymentId, requestBody });
  equal((await searchIndexes.getDeploymentSummaries()).deployments[0]?.documentCount, 1);
  await searchIndexes.unregisterDeployment({ deploymentId });
  const { id } = await ingestionPipelineConfigurations.register({
    name: 'nightly',
    pipelineComposition: { load: 's3' },
  });
  const run = { executionTime: new Date(), chunksCount: 5 };
  equal((await ingestionPipelineConfigurations.updateRunInfo({ id, updateRunInfo: run })).lastRunChunksCount, 5);
  ok((await ingestionPipelineConfigurations.list()).some((one) => one.id === id));
};
