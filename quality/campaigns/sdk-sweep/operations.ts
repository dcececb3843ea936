/** The names of path variables differ between SDKs; one spells the scope of credentials out that another gives. */
export function withoutNames(operation: string): string {
  return operation
    .replace(/(?<=\/connectors\/[^/]+\/)(user|workspace|organization)(?=\/credentials)/, '{}')
    .replaceAll(/\{\w+\}|:\w+/g, '{}');
}

/** The operator starts, stops and builds workers, so these respond with one fixed sentence. */
export const ALWAYS_REFUSED = new Set(
  [
    'POST /v1/workflows/deployments',
    'PATCH /v1/workflows/deployments/{name}',
    'DELETE /v1/workflows/deployments/{name}',
    'POST /v1/workflows/deployments/{name}/start',
    'POST /v1/workflows/deployments/{name}/stop',
    'POST /v1/workflows/deployments/{name}/restart',
  ].map(withoutNames),
);
