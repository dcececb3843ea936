/** Common to all routes here: the surface and the one permission of admin keys. */
export function adminRouteDefaults(area: string) {
  return { tags: [`beta.admin.${area}`], permission: 'admin', surface: 'admin' as const };
}
