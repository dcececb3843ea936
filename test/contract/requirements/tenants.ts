import { requirementsOf } from './requirement.ts';

export const tenantRequirements = requirementsOf('tenants', {
  'Authentication: rule 1': {
    'TENANTS-KEY-WORKSPACE': 'an API key acts in exactly one workspace',
    'TENANTS-KEY-ACCESS': 'a caller gets exactly the access the key has, neither more nor less',
    'TENANTS-OTHER-WORKSPACE': 'what belongs to another workspace answers as if it did not exist',
  },
  'Authentication: rule 3': {
    'TENANTS-KEY-SHOWN-ONCE': 'the value of a key is given at creation and never again, nor is it stored',
    'TENANTS-KEY-LOST': 'a lost key is replaced by creating a new one; the old value cannot be recovered',
  },
  'Authentication: rule 4': {
    'TENANTS-ADMIN-KEY-ORGANIZATION': 'an admin key belongs to one organization and reaches no other',
  },
  'Authentication: rule 5': {
    'TENANTS-STANDARD-NO-ADMIN': 'a standard key never opens /v1/admin, whatever the role of its user',
    'TENANTS-ADMIN-NOT-STANDARD': 'an admin key opens nothing outside /v1/admin',
  },
});
