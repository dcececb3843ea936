import { requirementsOf } from './requirement.ts';

export const adminRequirements = requirementsOf('admin', {
  'Endpoints: Administrative API': {
    'ADMIN-USERS': 'GET /v1/admin/users lists the users of the organization of the key and of no other',
    'ADMIN-USERS-PAGES': 'page and page_size select a page of users',
    'ADMIN-INVITE': 'POST /v1/admin/users-invite invites the address given as email',
    'ADMIN-INVITE-JSON': 'an invitation is sent as application/json and any other media type is refused',
    'ADMIN-INVITE-BODY': 'an invitation without an email is 422',
  },
  'Authentication: rule 2': {
    'ADMIN-KEY-CREATE': 'the console creates an admin key from a name, an organization and an optional expiration date',
    'ADMIN-KEY-EXPIRES': 'an admin key is refused once its expiration date has passed',
  },
  'Authentication: rule 6': {
    'ADMIN-ENTERPRISE': 'an organization without the enterprise plan is refused on the administrative API',
    'ADMIN-NOT-SELF-SERVE': 'no endpoint lets an organization give itself the enterprise plan',
  },
  'decisions: Administration': {
    'ADMIN-ORGANIZATIONS-CLI': 'the operator creates and lists organizations and sets their plan by the command line',
    'ADMIN-KEYS-CLI': 'tramontane keys create --admin creates an admin key and shows it once',
    'ADMIN-KEYS-NEVER-SHOWN': 'no console page and no command shows the value of an existing key',
  },
});
