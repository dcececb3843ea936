import { ClassificationRequest } from '../../guardrails/index.ts';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import { ChatClassificationRequest, ClassificationResponse } from '../schema/classifications.ts';
import type { ClassifierService } from '../service/classifications.ts';

export function classificationRoutes(classifiers: ClassifierService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/classifications',
      operationId: 'classifications_v1_classifications_post',
      summary: 'Score texts by the labels of a classifier',
      tags: ['classifiers'],
      permission: 'classifications:write',
      body: ClassificationRequest,
      largeBody: true,
      response: ClassificationResponse,
      alsoAnswers: [502, 504],
      handler: (call) => classifiers.classify(call, call.body.model, [call.body.input].flat()),
    }),
    route({
      method: 'POST',
      path: '/v1/chat/classifications',
      operationId: 'chat_classifications_v1_chat_classifications_post',
      summary: 'Score one or several conversations by the labels of a classifier',
      tags: ['classifiers'],
      permission: 'classifications:write',
      body: ChatClassificationRequest,
      largeBody: true,
      response: ClassificationResponse,
      alsoAnswers: [502, 504],
      handler: (call) => classifiers.classifyChats(call, call.body.model, [call.body.input].flat()),
    }),
  ];
}
