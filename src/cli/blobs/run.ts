import { type BlobsConfig, parseBlobs } from '../../config/blobs.ts';
import type { Environment } from '../../config/environment.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { copyAllBlobs } from '../../operator/move-blobs.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';
import { readConfig } from '../shell/read-config.ts';

const DATA_DIR = 'data-dir';

export async function copy(context: Context): Promise<ExitCode> {
  const { args, output, environment } = context;
  const { dataDir } = readConfig(context);
  const [from, to] = [args.parameter('from'), args.parameter('to')];
  if (from === to) throw new CommandFailure('The two places are the same. Name two different ones.');
  const placeOf = (text: string) => ({ dataDir, blobs: parsePlace(text, environment) });
  const done = await copyAllBlobs(placeOf(from), placeOf(to), output.progress);
  output.result(
    { from, to, ...done },
    [
      `Copied ${formatCount(done.copied, 'blob')} (${Math.ceil(done.bytes / 1024)} KiB); ${done.present} were there already.`,
      ...done.damaged.map((name) => `Damaged, not copied: ${name}`),
      ...(to === DATA_DIR
        ? ['Then stop the server, copy once more, unset TRAMONTANE_BLOBS and start it.']
        : [`Then stop the server, copy once more, set TRAMONTANE_BLOBS=${to} and start it.`]),
    ].join('\n'),
  );
  return done.damaged.length === 0 ? 0 : 1;
}

function parsePlace(text: string, environment: Environment): BlobsConfig {
  return text === DATA_DIR ? { kind: 'directory' } : parseBlobs(text, environment, `A place other than ${DATA_DIR}`);
}
