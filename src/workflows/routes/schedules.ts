import { type AnyRoute, route, streamedObject } from '../../kit/http/index.ts';
import {
  ScheduleDefinitionOutput,
  ScheduleParams,
  SchedulesQuery,
  WorkflowScheduleListResponse,
  WorkflowSchedulePauseRequest,
  WorkflowScheduleRequest,
  WorkflowScheduleResponse,
  WorkflowScheduleTriggerRequest,
  WorkflowScheduleUpdateRequest,
} from '../schema/schedules.ts';
import type { WorkflowService } from '../service/workflow-service.ts';

const tags = ['workflows.schedules'];
const execute = { tags, permission: 'workflows:execute' };
const read = { tags, permission: 'workflows:read' };
const write = { tags, permission: 'workflows:write' };

export function scheduleRoutes(workflows: WorkflowService): AnyRoute[] {
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/schedules',
      operationId: 'get_schedules_v1_workflows_schedules_get',
      summary: 'List schedules by creation; all of them without page_size',
      query: SchedulesQuery,
      response: WorkflowScheduleListResponse,
      handler: async ({ scope, query }) => {
        const { groups, next_page_token } = await workflows.schedules.list(scope, query);
        return streamedObject({ next_page_token }, 'schedules', groups);
      },
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/workflows/schedules',
      operationId: 'schedule_workflow_v1_workflows_schedules_post',
      summary: 'Create a schedule by calendar, interval or cron expression',
      status: 201,
      creates: true,
      body: WorkflowScheduleRequest,
      largeBody: true,
      response: WorkflowScheduleResponse,
      handler: ({ scope, body }) => workflows.schedules.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/workflows/schedules/:schedule_id',
      operationId: 'get_schedule_v1_workflows_schedules__schedule_id__get',
      summary: 'Read a schedule with its next and last executions',
      params: ScheduleParams,
      response: ScheduleDefinitionOutput,
      handler: ({ scope, params }) => workflows.schedules.get(scope, params.schedule_id),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/v1/workflows/schedules/:schedule_id',
      stores: true,
      operationId: 'update_schedule_v1_workflows_schedules__schedule_id__patch',
      summary: 'Change a schedule; missing fields stay unchanged',
      params: ScheduleParams,
      body: WorkflowScheduleUpdateRequest,
      largeBody: true,
      response: WorkflowScheduleResponse,
      handler: ({ scope, params, body }) => workflows.schedules.update(scope, params.schedule_id, body.schedule),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/workflows/schedules/:schedule_id',
      operationId: 'unschedule_workflow_v1_workflows_schedules__schedule_id__delete',
      summary: 'Delete a schedule; running executions continue',
      status: 204,
      params: ScheduleParams,
      handler: ({ scope, params }) => workflows.schedules.remove(scope, params.schedule_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/workflows/schedules/:schedule_id/pause',
      operationId: 'pause_schedule_v1_workflows_schedules__schedule_id__pause_post',
      summary: 'Pause a schedule',
      status: 204,
      params: ScheduleParams,
      body: WorkflowSchedulePauseRequest.nullish(),
      handler: ({ scope, params, body }) => workflows.schedules.setPaused(scope, params.schedule_id, true, body?.note),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/workflows/schedules/:schedule_id/resume',
      operationId: 'resume_schedule_v1_workflows_schedules__schedule_id__resume_post',
      summary: 'Resume a paused schedule from now on',
      status: 204,
      params: ScheduleParams,
      body: WorkflowSchedulePauseRequest.nullish(),
      handler: ({ scope, params, body }) => workflows.schedules.setPaused(scope, params.schedule_id, false, body?.note),
    }),
    route({
      ...execute,
      method: 'POST',
      path: '/v1/workflows/schedules/:schedule_id/trigger',
      operationId: 'trigger_schedule_v1_workflows_schedules__schedule_id__trigger_post',
      summary: 'Start an execution of the schedule now',
      status: 204,
      params: ScheduleParams,
      body: WorkflowScheduleTriggerRequest.nullish(),
      handler: ({ scope, params, body }) => workflows.schedules.trigger(scope, params.schedule_id, body?.overlap),
    }),
  ];
}
