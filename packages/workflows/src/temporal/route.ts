/** The deployment and timeout of a child workflow, read from the server by a local activity. */
export type Route = { deployment_name: string; execution_timeout_ms: number };

export const FIND_WORKFLOW = '__find_workflow';
