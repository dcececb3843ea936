import type { Workflow, WorkflowListResponse, WorkflowRegistration } from './schema/workflows.ts';
import type { RegistrationRow } from './store/registrations.ts';
import type { WorkflowRow } from './store/workflows.ts';

export function showWorkflow(row: WorkflowRow): Workflow {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name,
    type: 'code',
    description: row.description,
    customer_id: row.organization_id,
    workspace_id: row.workspace_id,
    shared_namespace: null,
    available_in_chat_assistant: row.available_in_chat_assistant,
    is_technical: row.is_technical,
    archived: row.archived,
    tags: row.tags,
  };
}

export function showBasic(row: WorkflowRow): WorkflowListResponse['workflows'][number] {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name,
    description: row.description,
    metadata: { shared_namespace: null },
    archived: row.archived,
    tags: row.tags,
  };
}

export function showRegistration(row: RegistrationRow, workflow: WorkflowRow | undefined): WorkflowRegistration {
  return {
    id: row.id,
    deployment_id: row.deployment_id,
    task_queue: row.deployment_name,
    definition: row.definition,
    workflow_id: row.workflow_id,
    workflow: workflow ? showWorkflow(workflow) : null,
    deployment_name: row.deployment_name,
    compatible_with_chat_assistant: false,
  };
}
