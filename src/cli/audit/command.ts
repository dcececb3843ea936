import type { CommandGroup } from '../shell/command.ts';
import { IN_ORGANIZATION, ORGANIZATION, PLATFORM } from '../shell/shared-options.ts';

const ONLY_ORGANIZATION = { ...ORGANIZATION, summary: 'only the log of this organization' };

export const audit: CommandGroup = {
  name: 'audit',
  summary: 'read, verify, export and prune the audit log',
  commands: [
    {
      name: 'list',
      summary: 'show the newest entries of an organization',
      options: {
        events: { summary: 'only these event types, comma-separated, such as api_key.create', value: '<events>' },
        user: { summary: 'only actions of this user', value: '<id>' },
        after: { summary: 'only entries after this time', value: '<time>' },
        before: { summary: 'only entries before this time', value: '<time>' },
        limit: { summary: 'number of entries, up to 1000 (default: 20)', value: '<n>' },
        ...IN_ORGANIZATION,
      },
      examples: ['audit list', 'audit list --events api_key.create,api_key.delete --limit 100 --json'],
      run: async (context) => (await import('./run.ts')).listAudit(context),
    },
    {
      name: 'verify',
      summary: 'verify that no entry of the audit log was changed, removed or moved, and print the head hashes',
      options: {
        organization: ONLY_ORGANIZATION,
        noted: { summary: 'the --json output of an earlier run, which the log must still contain', value: '<file>' },
        ...PLATFORM,
      },
      examples: ['audit verify', 'audit verify --json > heads.json', 'audit verify --noted heads.json'],
      run: async (context) => (await import('./run.ts')).verifyAudit(context),
    },
    {
      name: 'export',
      summary: 'write the log of an organization to a new JSONL file, hashes included',
      parameters: [{ name: 'file', summary: 'a file that does not exist yet' }],
      options: IN_ORGANIZATION,
      examples: ['audit export audit-2027.jsonl'],
      run: async (context) => (await import('./run.ts')).exportAudit(context),
    },
    {
      name: 'prune',
      summary: 'delete old entries and replace them with a signed checkpoint; export them first',
      options: {
        'older-than': { summary: 'the minimum age, such as 365d (required)', value: '<duration>' },
        organization: ONLY_ORGANIZATION,
        ...PLATFORM,
      },
      examples: ['audit prune --older-than 365d', 'audit prune --older-than 52w --organization Acme'],
      run: async (context) => (await import('./run.ts')).pruneAudit(context),
    },
  ],
};
