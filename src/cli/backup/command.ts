import type { Command } from '../shell/command.ts';
import { PLATFORM } from '../shell/shared-options.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'write a consistent backup to a new directory; the server may be running',
  parameters: [{ name: 'target-dir', summary: 'a directory that does not exist yet' }],
  options: PLATFORM,
  examples: ['backup /backups/monday'],
  run: async (context) => (await import('./run.ts')).backup(context),
};

export const restore: Command = {
  name: 'restore',
  summary: 'verify a backup and restore it; the server must be stopped',
  parameters: [{ name: 'backup-dir', summary: 'a directory written by backup' }],
  options: {
    verify: { summary: 'only verify the backup and change nothing' },
    force: { summary: 'replace existing data (SQLite keeps a copy of it, PostgreSQL does not)' },
    ...PLATFORM,
  },
  examples: ['restore /backups/monday --verify', 'restore /backups/monday'],
  run: async (context) => (await import('./run.ts')).restore(context),
};
