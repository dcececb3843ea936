/** Where a workflow of another deployment is run, and how long it may take: asked of the server by a local activity. */
export type Route = { deployment_name: string; execution_timeout_ms: number };

export const FIND_WORKFLOW = '__find_workflow';
