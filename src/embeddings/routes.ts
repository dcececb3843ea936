import { type AnyRoute, route } from '../kit/http/index.ts';
import { EmbeddingRequest, EmbeddingResponse } from './schema.ts';
import type { EmbeddingService } from './service.ts';

export function embeddingRoutes(embeddings: EmbeddingService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/embeddings',
      operationId: 'embeddings_v1_embeddings_post',
      summary: 'Turn texts into vectors that lie close together when the texts mean the same',
      tags: ['embeddings'],
      permission: 'embeddings:write',
      body: EmbeddingRequest,
      largeBody: true,
      response: EmbeddingResponse,
      alsoAnswers: [502, 504],
      handler: (context) => embeddings.embed(context, context.body),
    }),
  ];
}
