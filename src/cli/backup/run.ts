import { resolve } from 'node:path';
import { createBackup } from '../../operator/backup/create-backup.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { readConfig } from '../shell/read-config.ts';

export async function backup(context: Context): Promise<ExitCode> {
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
      `The backup is in ${dir}: ${formatCount(files.length, 'file')}, ${Math.ceil(bytes / 1024)} KiB.`,
      `Check it with: npx tramontane restore ${dir} --verify`,
    ].join('\n'),
  );
  return 0;
}
