import { defineErrors } from '../kit/http/index.ts';

export const adminErrors = defineErrors({
  roles_missing: {
    status: 400,
    fix: 'Send `role_names` or `roles`.',
    message: 'Name the roles that the group has in the workspace from now on.',
  },
});
