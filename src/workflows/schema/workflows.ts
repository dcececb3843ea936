import { z } from 'zod';
import { queryBool, queryInt, queryList, queryRepeated } from '../../kit/http/index.ts';
import { WorkflowCodeDefinition } from './definitions.ts';
import { WorkflowExecutionStatus } from './statuses.ts';

const text = z.string().nullable().optional();
const WorkflowType = z.enum(['code']).meta({ id: 'WorkflowType' });

const workflow = {
  id: z.guid(),
  name: z.string(),
  display_name: z.string(),
  type: WorkflowType,
  description: text,
  customer_id: z.guid(),
  workspace_id: z.guid(),
  shared_namespace: text,
  available_in_chat_assistant: z.boolean().default(false),
  is_technical: z.boolean().default(false),
  archived: z.boolean().default(false),
  tags: z.array(z.string()).optional(),
};

export const Workflow = z.object(workflow).meta({ id: 'Workflow' });
export type Workflow = z.output<typeof Workflow>;

const WorkflowWithWorkerStatus = z
  .object({ ...workflow, active: z.boolean() })
  .meta({ id: 'WorkflowWithWorkerStatus' });

const WorkflowMetadata = z.object({ shared_namespace: text }).meta({ id: 'WorkflowMetadata' });

export const WorkflowBasicDefinition = z
  .object({
    id: z.guid(),
    name: z.string(),
    display_name: z.string(),
    description: text,
    metadata: WorkflowMetadata.optional(),
    archived: z.boolean(),
    tags: z.array(z.string()).optional(),
  })
  .meta({ id: 'WorkflowBasicDefinition' });

const next_cursor = z.string().nullable();

export const WorkflowListResponse = z
  .object({ workflows: z.array(WorkflowBasicDefinition), next_cursor })
  .meta({ id: 'WorkflowListResponse' });
export type WorkflowListResponse = z.output<typeof WorkflowListResponse>;

const registration = {
  id: z.guid(),
  deployment_id: z.guid().nullable().optional().meta({ deprecated: true }),
  task_queue: z.string().nullable().optional().meta({ deprecated: true }),
  definition: WorkflowCodeDefinition,
  workflow_id: z.guid(),
  workflow: Workflow.nullable().optional(),
  deployment_name: text,
  compatible_with_chat_assistant: z.boolean().default(false),
};

export const WorkflowRegistration = z.object(registration).meta({ id: 'WorkflowRegistration' });
export type WorkflowRegistration = z.output<typeof WorkflowRegistration>;

const WorkflowRegistrationWithWorkerStatus = z
  .object({ ...registration, active: z.boolean() })
  .meta({ id: 'WorkflowRegistrationWithWorkerStatus' });

export const WorkflowRegistrationListResponse = z
  .object({
    workflow_registrations: z.array(WorkflowRegistration),
    next_cursor,
    workflow_versions: z.array(WorkflowRegistration).meta({ readOnly: true }),
  })
  .meta({ id: 'WorkflowRegistrationListResponse' });
export type WorkflowRegistrationListResponse = z.output<typeof WorkflowRegistrationListResponse>;

export const WorkflowRegistrationGetResponse = z
  .object({
    workflow_registration: WorkflowRegistrationWithWorkerStatus,
    workflow_version: WorkflowRegistrationWithWorkerStatus.meta({ readOnly: true }),
  })
  .meta({ id: 'WorkflowRegistrationGetResponse' });
export type WorkflowRegistrationGetResponse = z.output<typeof WorkflowRegistrationGetResponse>;

export const WorkflowGetResponse = z.object({ workflow: WorkflowWithWorkerStatus }).meta({ id: 'WorkflowGetResponse' });
export type WorkflowGetResponse = z.output<typeof WorkflowGetResponse>;

export const WorkflowUpdateResponse = z.object({ workflow: Workflow }).meta({ id: 'WorkflowUpdateResponse' });
export const WorkflowArchiveResponse = z.object({ workflow: Workflow }).meta({ id: 'WorkflowArchiveResponse' });
export const WorkflowUnarchiveResponse = z.object({ workflow: Workflow }).meta({ id: 'WorkflowUnarchiveResponse' });

const tag = z.string().max(100).trim().min(1);

export const WorkflowUpdateRequest = z
  .strictObject({
    display_name: z.string().max(128).nullable().optional(),
    description: z.string().max(4096).nullable().optional(),
    available_in_chat_assistant: z.boolean().nullable().optional(),
    tags: z.array(tag).max(100).nullable().optional(),
  })
  .meta({ id: 'WorkflowUpdateRequest' });
export type WorkflowUpdateRequest = z.output<typeof WorkflowUpdateRequest>;

export const TAGS_MAX = 100;

export const WorkflowTagsAddRequest = z
  .strictObject({ tags: z.array(tag).max(TAGS_MAX) })
  .meta({ id: 'WorkflowTagsAddRequest' });

/** Names or ids, as in paths. */
const bulk = { workflow_ids: z.array(z.string().min(1).max(256)).max(100) };
export const WorkflowBulkArchiveRequest = z.strictObject(bulk).meta({ id: 'WorkflowBulkArchiveRequest' });
export const WorkflowBulkUnarchiveRequest = z.strictObject(bulk).meta({ id: 'WorkflowBulkUnarchiveRequest' });

const WorkflowBulkError = z
  /** As it was sent: a name or an id. */
  .object({ workflow_id: z.string(), workflow: Workflow.nullable().optional(), message: z.string() })
  .meta({ id: 'WorkflowBulkError' });
export type WorkflowBulkError = z.output<typeof WorkflowBulkError>;

const errored = z.array(WorkflowBulkError).optional();
export const WorkflowBulkArchiveResponse = z
  .object({ archived: z.array(Workflow), errored })
  .meta({ id: 'WorkflowBulkArchiveResponse' });
export const WorkflowBulkUnarchiveResponse = z
  .object({ unarchived: z.array(Workflow), errored })
  .meta({ id: 'WorkflowBulkUnarchiveResponse' });

const limit = queryInt().min(1).max(1000).default(50);

export const WorkflowsQuery = z.strictObject({
  status: queryList(WorkflowExecutionStatus).optional(),
  include_shared: queryBool().default(true),
  available_in_chat_assistant: queryBool().optional(),
  deployment_name: queryRepeated(z.string()).optional(),
  deployment_status: z.enum(['active', 'inactive']).optional(),
  archived: queryBool().optional(),
  tags: queryRepeated(z.string()).optional(),
  sort_by: z.literal('display_name').optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  cursor: z.string().optional(),
  limit,
  active_only: queryBool().default(false).meta({ deprecated: true }),
  search: z.string().optional(),
});
export type WorkflowsQuery = z.output<typeof WorkflowsQuery>;

export const RegistrationsQuery = z.strictObject({
  workflow_id: z.guid().optional(),
  task_queue: z.string().optional(),
  active_only: queryBool().default(false),
  include_shared: queryBool().default(true),
  workflow_search: z.string().optional(),
  archived: queryBool().optional(),
  with_workflow: queryBool().default(false),
  available_in_chat_assistant: queryBool().optional(),
  limit,
  cursor: z.string().optional(),
});
export type RegistrationsQuery = z.output<typeof RegistrationsQuery>;

export const RegistrationQuery = z.strictObject({
  with_workflow: queryBool().default(false),
  include_shared: queryBool().default(true),
});
export type RegistrationQuery = z.output<typeof RegistrationQuery>;

export const WorkflowParams = z.strictObject({ workflow_identifier: z.string() });
export const RegistrationParams = z.strictObject({ workflow_registration_id: z.guid() });
