import { resolve } from 'node:path';
import { restoreBackup } from '../../operator/backup/restore-backup.ts';
import { verifyBackup } from '../../operator/backup/verify-backup.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { readConfig } from '../shell/read-config.ts';

export async function restore(context: Context): Promise<ExitCode> {
  const { args, output, environment } = context;
  const dir = resolve(args.parameter('backup-dir'));
  const options = { environment, onProgress: output.progress, force: args.flag('force') };
  if (args.flag('verify')) {
    const { manifest, audit } = await verifyBackup(dir, options);
    const { files, ...rest } = manifest;
    const log = audit ? `${audit.entries} audit entries are whole` : 'the audit log can be checked once it is restored';
    output.result(
      { dir, ok: true, files: files.length, ...rest, audit },
      `The backup of ${manifest.created_at} is sound: ${formatCount(files.length, 'file')} checked, ${log}.`,
    );
    return 0;
  }
  const config = readConfig(context);
  const { manifest, audit, kept } = await restoreBackup(config, dir, options);
  const { files, ...rest } = manifest;
  output.result(
    { dir, restored: true, files: files.length, ...rest, audit, kept },
    [
      `The backup of ${manifest.created_at} is restored to ${config.dataDir}; ${audit.entries} audit entries are whole.`,
      ...kept.map((path) => `The old data is kept as ${path}`),
      'Keys revoked after the backup are valid again: look at npx tramontane keys list before you start.',
    ].join('\n'),
  );
  return 0;
}
