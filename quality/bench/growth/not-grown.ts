/** Lists and streams of the route table that no family reads, and why. */
export const notGrown: Record<string, string> = {
  '/mcp': 'tells what changes from now on, and reads no table',
  '/v1/admin/user-groups/{group_uuid}/workspaces': 'of one group, in the order of an index, with a tally',
  '/v1/agents/{agent_id}/versions': 'the same statements as the versions of a prompt',
  '/v1/connectors/{connector_id_or_name}/tools': 'what one server offers',
  '/v1/context/search-indexes/{index_name}/documents': 'of one index, by number from the last one on',
  '/v1/libraries/{library_id}/documents/{document_id}/chunks': 'of one document, by position',
  '/v1/observability/evaluation-runs_v2/{run_id}/comparison': 'sums over all records of two runs',
  '/v1/observability/evaluation-runs_v2/{run_id}/records/search': 'of one run, by position',
  '/v1/observability/logs/search': 'the benchmark traces fills ten million',
  '/v1/observability/optimizations/{optimization_id}/trials': 'at most some dozens',
  '/v1/observability/pipeline-results/search': 'the benchmark traces fills ten million',
  '/v1/observability/spans/evaluations/search': 'the benchmark traces fills ten million',
  '/v1/observability/spans/evaluations/search/latest': 'the benchmark traces fills ten million',
  '/v1/observability/spans/search': 'the benchmark traces fills ten million',
  '/v1/observability/traces/search': 'the benchmark traces fills ten million',
  '/v1/observability/traces/{trace_id}/spans': 'the benchmark traces fills ten million',
  '/v1/triggers/{trigger_id}/events': 'of one trigger, newest first by an index',
  '/v1/webhooks/{webhook_id}/deliveries': 'of one webhook, newest first by an index',
  '/v1/workflows/deployments/{name}/logs': 'one stream by number, by the statements of the events of an execution',
  '/v1/workflows/deployments/{name}/logs/stream':
    'one stream by number, by the statements of the events of an execution',
  '/v1/workflows/deployments/{name}/workers': 'processes of one deployment',
  '/v1/workflows/executions/{execution_id}/logs':
    'one stream by number, by the statements of the events of an execution',
  '/v1/workflows/executions/{execution_id}/logs/stream':
    'one stream by number, by the statements of the events of an execution',
  '/v1/workflows/workers/history': 'of one execution, by number',
};
