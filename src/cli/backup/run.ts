import { resolve } from 'node:path';
import { SECRET_KEY_FILE } from '../../kit/secrets/index.ts';
import { createBackup } from '../../operator/backup/create-backup.ts';
import { restoreBackup } from '../../operator/backup/restore-backup.ts';
import { verifyBackup } from '../../operator/backup/verify-backup.ts';
import { findSecretKeyFile } from '../../operator/find-secret-key-file.ts';
import type { Context } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { readConfig } from '../shell/read-config.ts';

export async function backup(context: Context): Promise<undefined> {
  const { args, output, environment } = context;
  const dir = resolve(args.parameter('target-dir'));
  const config = readConfig(context);
  const { files, ...manifest } = await createBackup(config, dir, {
    environment,
    onProgress: output.progress,
  });
  // Not in the backup, or whoever finds it could read the credentials.
  const keyFile = findSecretKeyFile(config);
  const keyLines = keyFile ? [`The key of stored credentials is not in it: keep a copy of ${keyFile} elsewhere.`] : [];
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  output.result(
    { dir, bytes, files: files.length, ...manifest, secrets_key: keyFile ?? null },
    [
      `Backup written to ${dir}: ${formatCount(files.length, 'file')}, ${Math.ceil(bytes / 1024)} KiB.`,
      `Verify it with: npx tramontane restore ${dir} --verify`,
      ...keyLines,
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
      ...(findSecretKeyFile(config) || config.secretKeys.length > 0
        ? []
        : [`Stored credentials of connectors need their key: put the file ${SECRET_KEY_FILE} into ${config.dataDir}.`]),
      'Keys revoked after the backup are valid again: check npx tramontane keys list before you start the server.',
    ].join('\n'),
  );
}
