import { type AnyRoute, route } from '../kit/http/index.ts';
import {
  CreateJudgeRequest,
  Judge,
  JudgeConversationRequest,
  JudgeOutput,
  JudgeParams,
  JudgesQuery,
  ListJudgesResponse,
  UpdateJudgeRequest,
} from './schema.ts';
import type { JudgeService } from './service.ts';

export function judgeRoutes(judges: JudgeService): AnyRoute[] {
  const read = { tags: ['observability'], permission: 'judges:read' };
  const write = { tags: ['observability'], permission: 'judges:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/judges',
      operationId: 'get_judges_v1_observability_judges_get',
      summary: 'List judges, newest first',
      query: JudgesQuery,
      response: ListJudgesResponse,
      handler: ({ scope, query }) => judges.list(scope, query),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/observability/judges',
      operationId: 'create_judge_v1_observability_judges_post',
      summary: 'Create a judge',
      creates: true,
      status: 201,
      body: CreateJudgeRequest,
      response: Judge,
      handler: ({ scope, body }) => judges.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/observability/judges/:judge_id',
      operationId: 'get_judge_by_id_v1_observability_judges__judge_id__get',
      summary: 'Read a judge',
      params: JudgeParams,
      response: Judge,
      handler: ({ scope, params }) => judges.get(scope, params.judge_id),
    }),
    route({
      ...write,
      method: 'PUT',
      path: '/v1/observability/judges/:judge_id',
      operationId: 'update_judge_v1_observability_judges__judge_id__put',
      summary: 'Replace the definition of a judge',
      status: 204,
      stores: true,
      params: JudgeParams,
      body: UpdateJudgeRequest,
      handler: ({ scope, params, body }) => judges.update(scope, params.judge_id, body),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/observability/judges/:judge_id',
      operationId: 'delete_judge_v1_observability_judges__judge_id__delete',
      summary: 'Delete a judge',
      status: 204,
      params: JudgeParams,
      handler: ({ scope, params }) => judges.remove(scope, params.judge_id),
    }),
    route({
      tags: ['observability'],
      permission: 'judges:use',
      method: 'POST',
      path: '/v1/observability/judges/:judge_id/live-judging',
      operationId: 'judge_conversation_v1_observability_judges__judge_id__live_judging_post',
      summary: 'Judge a conversation now',
      largeBody: true,
      params: JudgeParams,
      body: JudgeConversationRequest,
      response: JudgeOutput,
      alsoAnswers: [502, 504],
      handler: (context) => judges.judgeBy(context, context.params.judge_id, context.body),
    }),
  ];
}
