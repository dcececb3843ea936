import { type AnyRoute, route } from '../../kit/http/index.ts';
import {
  CreateTrigger,
  Trigger,
  TriggerEventList,
  TriggerList,
  TriggerParams,
  TriggersQuery,
} from '../schema/triggers.ts';
import { LatestQuery } from '../schema/webhooks.ts';
import type { WebhookService } from '../service/index.ts';

const tags = ['beta.triggers'];

export function triggerRoutes(room: WebhookService): AnyRoute[] {
  const read = { tags, permission: 'webhooks:read' };
  const write = { tags, permission: 'webhooks:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/triggers',
      operationId: 'list_triggers_v1_triggers_get',
      summary: 'List triggers, newest first',
      query: TriggersQuery,
      response: TriggerList,
      handler: (context) => room.triggers.list(context, context.query),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/triggers',
      operationId: 'create_trigger_v1_triggers_post',
      summary: 'Start a workflow or an agent whenever a webhook gets a delivery that a filter matches',
      creates: true,
      status: 201,
      body: CreateTrigger,
      response: Trigger,
      alsoAnswers: [404],
      handler: (context) => room.triggers.create(context, context.body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/triggers/:trigger_id',
      operationId: 'get_trigger_v1_triggers__trigger_id__get',
      summary: 'Read a trigger',
      params: TriggerParams,
      response: Trigger,
      handler: (context) => room.triggers.get(context, context.params.trigger_id),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/triggers/:trigger_id',
      operationId: 'delete_trigger_v1_triggers__trigger_id__delete',
      summary: 'Delete a trigger',
      status: 204,
      params: TriggerParams,
      handler: ({ scope, params }) => room.triggers.remove(scope, params.trigger_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/triggers/:trigger_id/events',
      operationId: 'list_trigger_events_v1_triggers__trigger_id__events_get',
      summary: 'List the latest events of a trigger with their outcome',
      params: TriggerParams,
      query: LatestQuery,
      response: TriggerEventList,
      handler: (context) => room.triggers.events(context, context.params.trigger_id, context.query.limit),
    }),
  ];
}
