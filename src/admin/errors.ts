import { defineErrors } from '../kit/http/index.ts';

export const adminErrors = defineErrors({
  roles_missing: {
    status: 400,
    when: "A change of a group's roles in a workspace names no role.",
    fix: 'Send `role_names` or `roles`.',
    message: 'Name the roles that the group has in the workspace from now on.',
  },
});
