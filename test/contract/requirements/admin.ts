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
    'ADMIN-KEY-CREATE': 'an admin key is created from a name, an organization and an optional expiration date',
    'ADMIN-KEY-EXPIRES': 'an admin key is refused once its expiration date has passed',
  },
  'Authentication: rule 6': {
    'ADMIN-ENTERPRISE': 'an organization without the enterprise plan is refused on the administrative API',
    'ADMIN-NOT-SELF-SERVE': 'no endpoint lets an organization give itself the enterprise plan',
  },
  'behaviour 8': {
    'ADMIN-LAST': 'the last admin of an organization can be neither removed nor demoted',
    'ADMIN-REMOVE': 'removing a user ends their keys at once and keeps their objects',
    'ADMIN-ARCHIVE': 'deleting a workspace archives it and its keys stop',
    'ADMIN-INVITE-LINK':
      'an invitation is a signed link that ends, is accepted once and sets name, password and workspaces',
    'ADMIN-INVITE-MAIL': 'with mail set up the link goes by mail and is shown to nobody else',
    'ADMIN-GROUPS': 'what a group is given in a workspace reaches its members and those of nested groups',
    'ADMIN-GROUP-CIRCLE': 'groups cannot be nested in a circle',
    'ADMIN-API-KEYS': 'the value of a key that an admin makes is shown once and stored nowhere',
    'ADMIN-USAGE': 'usage is told by model, day, workspace and key, from the ledger',
    'ADMIN-SPEND-LIMIT': 'a spend limit that is set is heeded',
    'ADMIN-AUDIT': 'the audit log tells actor, target, workspace, address and request id, and holds no secret',
    'ADMIN-AUDIT-REFUSED': 'refused administrative calls are in the audit log',
    'ADMIN-AUDIT-RETENTION': 'what is let go of the audit log leaves a signed checkpoint, and verify finds any forgery',
    'ADMIN-MATRIX':
      'every role on every operation, in its own and other workspaces and organizations, gets what the matrix says',
  },
  'decisions: Administration': {
    'ADMIN-ORGANIZATIONS-CLI': 'the operator creates and lists organizations and sets their plan by the command line',
    'ADMIN-KEYS-CLI': 'tramontane keys create --admin creates an admin key and shows it once',
    'ADMIN-KEYS-NEVER-SHOWN': 'no console page and no command shows the value of an existing key',
  },
});
