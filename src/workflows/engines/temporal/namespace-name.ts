/** What the workspace's namespace at Temporal is called. */
export function namespaceOf(prefix: string, workspaceId: string): string {
  return `${prefix}-${workspaceId}`;
}
