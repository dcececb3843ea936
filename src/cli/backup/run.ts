import { resolve } from 'node:path';
import { createBackup } from '../../operator/backup/create-backup.ts';
import { restoreBackup } from '../../operator/backup/restore-backup.ts';
import { verifyBackup } from '../../operator/backup/verify-backup.ts';
import type { Context } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { readConfig } from '../shell/read-config.ts';

export async function backup(context: Context): Promise<undefined> {
  const { args, output, environment } = context;
  const dir = resolve(args.parameter('target-dir'));
  const { files, ...manifest } = await createBackup(readConfig(context), dir, {
    environment,
    onProgress: output.progress,
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  output.result(
    { dir, bytes, files: files.length, ...manifest },
    [
      `Backup written to ${dir}: ${formatCount(files.length, 'file')}, ${Math.ceil(bytes / 1024)} KiB.`,
      `Verify it with: npx tramontane restore ${dir} --verify`,
    ].join('\n'),
  );
}

export async function restore(context: Context): Promise<undefined> {
  const { args, output, environment } = context;
  const dir = resolve(args.parameter('backup-dir'));
  const options = { environment, onProgress: output.progress, force: args.flag('force') };
  if (args.flag('verify')) {
    const { manifest, audit } = await verifyBackup(dir, options);
    const { files, ...rest } = manifest;
    const log = audit
      ? `the audit log of ${audit.entries} entries is intact`
      : 'the audit log can only be verified after a restore';
    output.result(
      { dir, ok: true, files: files.length, ...rest, audit },
      `The backup of ${manifest.created_at} is valid: ${formatCount(files.length, 'file')} checked, ${log}.`,
    );
    return;
  }
  const config = readConfig(context);
  const { manifest, audit, kept } = await restoreBackup(config, dir, options);
  const { files, ...rest } = manifest;
  output.result(
    { dir, restored: true, files: files.length, ...rest, audit, kept },
    [
      `Restored the backup of ${manifest.created_at} to ${config.dataDir}; the audit log of ${audit.entries} entries is intact.`,
      ...kept.map((path) => `The previous data was kept as ${path}`),
      'Keys revoked after the backup are valid again: check npx tramontane keys list before you start the server.',
    ].join('\n'),
  );
}
