/** The Temporal namespace of a workspace. */
export function namespaceOf(prefix: string, workspaceId: string): string {
  return `${prefix}-${workspaceId}`;
}
