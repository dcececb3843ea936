import type { Place } from './places.ts';

type Exception = {
  operation: RegExp;
  /** `where:way:kind`; omitted: every place of the operation. */
  field?: RegExp;
  /** Allowed statuses beside 401, 403 and 404. */
  statuses: number[];
  /** It creates or changes something of the asker's own, so it is tried last, and two responses are two objects. */
  changes?: boolean;
  reason: string;
};

/** Where the contract responds otherwise than by 401, 403 or 404. Foreign and missing must be alike here, too. */
export const exceptions: Exception[] = [
  {
    operation: /^post_dataset_records_from_spans_v1_/,
    statuses: [422],
    reason: 'the other half of the reference is a sample that is no id: refused before anything is looked up',
  },
  {
    operation: /^delete_dataset_records_v1_/,
    statuses: [204],
    reason: 'ids that are missing are passed over, and those of others are missing',
  },
  {
    operation: /^observability_give_(trace_)?feedback$|^update_pipeline(_config)?_v1_/,
    statuses: [422],
    reason: 'the rest of the sample says nothing or fits no kind: refused before anything is looked up',
  },
  {
    operation: /^search_(all_)?evaluation_runs_v2_v1_/,
    field: /^body:/,
    statuses: [200],
    reason: 'a filter of a list of one’s own: nothing matches',
  },
  {
    operation: /^connector_((de)?activate_for_consumer_v1|preferences_put|openapi_put|tools_trust|.*credentials.*)$/,
    statuses: [422],
    reason:
      'its other parameters are samples that are no scope, digest or document: refused before anything is looked up',
  },
  {
    operation: /^(users_api_list_workspaces|agents_api_v1_agents_list(_pages)?|jobs_api_routes_batch_get_batch_jobs)$/,
    statuses: [200],
    reason: 'a filter of a list of one’s own: nothing matches',
  },
  {
    operation: /^list_triggers_v1_/,
    statuses: [200],
    reason: 'a filter of a list of one’s own: nothing matches',
  },
  {
    operation: /^(get_workflows|get_workflow_registrations|get_schedules|list_runs|list_deployments)_v1_/,
    statuses: [200],
    reason: 'a filter of a list of one’s own: nothing matches',
  },
  {
    operation: /^(get_workflow_events_v1_|get_stream_events_v1_|workflows_workers_history$)/,
    statuses: [200],
    reason: 'events of no execution of one’s own: an empty list, or a stream without events',
  },
  {
    operation: /^(get|stream)_(workflow_execution|deployment)_logs$|^get_deployment_v1_/,
    field: /^query:/,
    statuses: [200],
    reason: 'a filter of what is one’s own',
  },
  {
    operation: /^(users_api_admin_audit_logs_get_audit_logs|console_usage|users_api_admin_usage_get_usage)$/,
    statuses: [200],
    reason: 'a filter of a report on one’s own organization: nothing matches',
  },
  {
    operation: /^console_(names|conversations_titles)$/,
    statuses: [200],
    reason: 'what the caller may not see has no name',
  },
  {
    operation: /^(replace_managed_model|test_model_server)$/,
    statuses: [422],
    reason: 'the rest of the sample has no address of a server: refused before anything is looked up',
  },
  {
    operation: /^agents_api_v1_agents_(create|update)$/,
    field: /^body:model:(model|promptModel)$/,
    statuses: [400],
    reason: 'an unknown model is a 400 with code 1500, as completions have it',
  },
  {
    operation:
      /^(chat|fim|embeddings|moderations|classifications|chat_moderations|agents_completion|ocr|speech|agents_api_v1_conversations|(create|count)_response)/,
    field: /:(model|promptModel)$/,
    statuses: [400],
    reason: 'an unknown model is a 400 with code 1500, as the API has it',
  },
  {
    operation:
      /^(audio_api_v1_transcriptions_post|openai_audio_trans\w+|create_client_session_v1_client_sessions_post)$/,
    statuses: [400, 422],
    reason: 'an unknown model is a 400; a form without its fields is a 422 before any id in it is looked up',
  },
  {
    operation: /^(chat_completion|chat_moderations|chat_classifications|agents_completion)_v1_/,
    field: /file_id:file$|connector_id:connector$/,
    statuses: [400],
    reason: 'files and connectors are refused there for everybody, before anything is looked up',
  },
  {
    operation: /^(openai_responses_|(create|count)_response)/,
    field: /\.(annotations|logprobs|top_logprobs)\./,
    statuses: [200, 400, 422],
    changes: true,
    reason: 'what an earlier answer carried along, which is never looked up',
  },
  {
    operation: /^openai_responses_input_tokens$/,
    field: /connector_id:connector$/,
    statuses: [200],
    reason: 'tools are counted by what the request says of them; no connector is looked up',
  },
  {
    operation: /^openai_responses_/,
    field: /tools\.\[\]\.model:/,
    statuses: [200, 400],
    changes: true,
    reason: 'a hint of a tool, which is ignored',
  },
  {
    operation: /^(openai_(responses|chat|completions|embeddings|audio|moderations)|anthropic_|(create|count)_response)/,
    field: /:(file|response|connector|model|promptModel)$/,
    statuses: [400, 422],
    reason: 'a mistake in the body, in the words of the dialect',
  },
  {
    operation: /^anthropic_messages_(create|count_tokens)$/,
    field: /workspace_id:workspace$/,
    statuses: [200],
    reason: 'a hint that is ignored',
  },
  {
    operation: /^observability_delete_contents$/,
    statuses: [204],
    reason: 'what a filter finds is deleted, among one’s own: nothing matches',
  },
  {
    operation: /^list_optimizations_v1_/,
    statuses: [200],
    reason: 'a filter of a list of one’s own: nothing matches',
  },
  {
    operation: /^create_pipeline_config_v1_/,
    statuses: [422],
    reason: 'the rest of the sample fits no kind: refused before anything is looked up',
  },
  {
    operation: /^(create|update)_judge_v1_/,
    field: /model_name:/,
    statuses: [200, 201, 204],
    changes: true,
    reason: 'kept as it was written, and looked up with the caller’s own eyes whenever it is used',
  },
  {
    operation: /^judge_dataset_record_v1_/,
    field: /model_name:/,
    statuses: [400],
    reason: 'a mistake in the body, named in a sentence',
  },
  {
    operation: /^post_dataset_records_from_(dataset|playground)_v1_/,
    field: /(dataset_record|conversation)_ids:/,
    statuses: [202],
    changes: true,
    reason: 'ids that are missing are passed over, and those of others are missing',
  },
  {
    operation: /^anthropic_messages_create$/,
    field: /user_id:user$/,
    statuses: [200],
    reason: 'a hint that is ignored',
  },
  {
    operation: /^agents_api_v1_agents_(create|update)$/,
    field: /handoffs:agent$/,
    statuses: [400],
    reason: 'a mistake in the body, named in a sentence',
  },
  {
    operation: /^agents_api_v1_agents_(create|update)$|^prompts_set_model$/,
    field: /(model|model_name|connector_id|skills\.\[\]):(model|promptModel|connector|skillReference)$/,
    statuses: [200, 422],
    changes: true,
    reason: 'kept as it was written, and looked up with the caller’s own eyes whenever it is used',
  },
  {
    operation: /^agents_api_v1_conversations_(start|append|restart)$/,
    field: /^body:inputs\./,
    statuses: [400],
    reason: 'entries of a history that the caller tells; nothing in them is looked up',
  },
  {
    operation: /^agents_api_v1_conversations_start$/,
    field: /connector_id:connector$/,
    statuses: [400],
    reason: 'a mistake in the body, named in a sentence',
  },
  {
    operation: /^jobs_api_routes_batch_create_batch_job$/,
    field: /(model|agent_id):/,
    statuses: [200],
    changes: true,
    reason: 'looked up request by request: each becomes an errored entry',
  },
  {
    operation: /^console_models_pull$/,
    statuses: [400],
    reason: 'the catalogue is the same for everybody and has no model of a workspace',
  },
  {
    operation: /^users_api_admin_(workspaces_remove_users_workspaces|user_groups_remove_users_from_group)$/,
    field: /:user$/,
    statuses: [200, 204],
    reason: 'whoever is not a member is not removed: the answer names them as left, or says nothing',
  },
  {
    operation: /^bulk_(un)?archive_workflows_|^batch_(cancel|terminate)_workflow_executions_/,
    statuses: [200],
    reason: 'an errored entry per id',
  },
  {
    operation: /^workflows_workers_(advance|steps_heartbeat)$/,
    statuses: [200],
    reason: 'a lease that the workspace does not have is stale',
  },
  {
    operation: /^workflows_workers_(heartbeat|poll|logs|register)$/,
    statuses: [200],
    changes: true,
    reason:
      'deployments and workers are named by those who start them, per workspace; unknown registrations are not active',
  },
  {
    operation: /^workflows_workers_send_events?(_v2)?$/,
    field: /(root_workflow_exec_id|parent_workflow_exec_id|schedule_id|workflow_name):/,
    statuses: [200, 422],
    changes: true,
    reason: 'told along with an event of one’s own run, which alone decides where it goes',
  },
  {
    operation: /^(workflows_workers_(report|register_execution|upsert_search_keys|delete_search_keys))$/,
    statuses: [409],
    reason: 'only where workflows run on Temporal; their rooms try them there',
  },
  {
    operation: /^(update|delete|stop|start|restart)_deployment_v1_/,
    statuses: [409],
    reason: 'deployments are not built here, which everybody is told in the same words',
  },
  {
    operation: /^execute_workflow_(registration_)?v1_|^execute_workflow_v1_/,
    field: /^body:(execution_id|deployment_name):/,
    statuses: [200, 409],
    changes: true,
    reason: 'an id that the caller chooses is unique in its workspace; a registration has its deployment already',
  },
  {
    operation: /^schedule_workflow_v1_/,
    field: /schedule_id:schedule$/,
    statuses: [201, 409],
    changes: true,
    reason: 'an id that the caller chooses is unique in its workspace',
  },
  {
    operation: /^workflows_register$/,
    statuses: [200],
    changes: true,
    reason: 'deployments are named by those who start them, per workspace',
  },
];

export function exceptionFor({ operation, where, way, kind }: Place): Exception | undefined {
  const field = `${where}:${way.join('.')}:${kind}`;
  return exceptions.find((one) => one.operation.test(operation.id) && (one.field?.test(field) ?? true));
}
