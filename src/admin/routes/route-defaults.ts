/** What every route of this face has: the surface of admin keys, and the one permission that those have. */
export function administrative(area: string) {
  return { tags: [`beta.admin.${area}`], permission: 'admin', surface: 'admin' as const };
}
