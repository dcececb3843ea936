import { join } from 'node:path';
import pino from 'pino';
import type { Platform } from '../../src/compose/open-platform.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import { FileConfig } from '../../src/config/schema.ts';
import { type RunningServer, type StartOptions, startServer } from '../../src/main.ts';
import { lowerCostForTests } from '../../src/tenants/sign-in/hash-password.ts';
import { atEnd } from './cleanup.ts';
import { type TestDatabase, temporaryDir } from './databases.ts';

export type TestServer = RunningServer & { key: string; platform: Platform; config: Config; logs: string[] };

type Options = { file?: Parameters<typeof FileConfig.parse>[0]; environment?: Record<string, string> } & StartOptions;

/** A model that is listed and never asked, for tests of what names one. */
export const listedModel = (id: string) => ({ id, engine: 'upstream', url: 'http://127.0.0.1:9/v1' });

/** The whole server on its own port and the given database, with responses checked against their schemas. */
export async function startTestServer(database: TestDatabase, options: Options = {}): Promise<TestServer> {
  await (await database.open()).close();
  lowerCostForTests();
  const dataDir = temporaryDir();
  const environment = {
    TRAMONTANE_PORT: '0',
    TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0',
    TRAMONTANE_DATA_DIR: join(dataDir, 'data'),
    TRAMONTANE_LOG_LEVEL: 'trace',
    ...options.environment,
  };
  const config: Config = {
    ...loadConfig(environment),
    database: database.options,
    file: FileConfig.parse({ models: [], ...(options.file ?? {}) }),
  };
  const logs: string[] = [];
  let platform: Platform | undefined;
  const server = await startServer(config, {
    checkResponses: true,
    log: pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) }),
    ...options,
    extraRoutes: (opened) => {
      platform = opened;
      return options.extraRoutes?.(opened) ?? [];
    },
  });
  atEnd(() => server.stop());
  if (!platform) throw new Error('the server started without its platform');
  const key = server.bootstrap.created ? server.bootstrap.apiKey : '';
  return { ...server, key, platform, config, logs };
}
