import { join } from 'node:path';
import type { Platform } from '../../../src/compose/open-platform.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import { listSecrets } from '../../../src/config/list-secrets.ts';
import { FileConfig } from '../../../src/config/schema.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import { type RunningServer, startServer } from '../../../src/main.ts';

export type TrustPlatform = RunningServer & { platform: Platform; config: Config; key: string };

type Options = {
  directory: string;
  /** Omitted: a SQLite file in the directory. */
  database?: DatabaseOptions | undefined;
  file?: Parameters<typeof FileConfig.parse>[0];
  environment?: Record<string, string>;
  /** Receives every log line, at the lowest level. */
  onLog?: (line: string) => void;
};

/** The whole server in this process, with production's settings, on a port and a data dir of its own. */
export async function startPlatform({
  directory,
  database,
  file,
  environment,
  onLog,
}: Options): Promise<TrustPlatform> {
  const loaded = loadConfig({
    TRAMONTANE_PORT: '0',
    TRAMONTANE_DATA_DIR: join(directory, 'data'),
    TRAMONTANE_LOG_LEVEL: 'trace',
    TRAMONTANE_AUTO_PULL: 'off',
    TRAMONTANE_CONSOLE: 'off',
    ...environment,
  });
  const config: Config = {
    ...loaded,
    ...(database && { database }),
    file: FileConfig.parse({ models: [], ...(file ?? {}) }),
  };
  let platform: Platform | undefined;
  const server = await startServer(config, {
    log: createLog('trace', { write: (line) => onLog?.(line) }, listSecrets(config)),
    extraRoutes: (opened) => {
      platform = opened;
      return [];
    },
  });
  if (!platform) throw new Error('The server started without its platform.');
  return { ...server, platform, config, key: server.bootstrap.created ? server.bootstrap.apiKey : '' };
}
