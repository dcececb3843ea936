import { type AnyRoute, route } from '../kit/http/index.ts';
import { ClassificationRequest, ModerationResponse } from './schema/moderations.ts';
import type { GuardrailService } from './service.ts';

export function guardrailRoutes(guardrails: GuardrailService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/moderations',
      operationId: 'moderations_v1_moderations_post',
      summary: 'Classify texts by the categories of moderation',
      tags: ['classifiers'],
      permission: 'moderation:write',
      body: ClassificationRequest,
      largeBody: true,
      response: ModerationResponse,
      alsoAnswers: [502, 504],
      handler: (call) => guardrails.moderate(call, call.body.model, [call.body.input].flat()),
    }),
  ];
}
