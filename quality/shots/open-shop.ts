import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from '../../src/compose/open-platform.ts';
import { loadConfig } from '../../src/config/config.ts';
import { FileConfig } from '../../src/config/schema.ts';
import { createLog } from '../../src/kit/base/log.ts';
import { startServer } from '../../src/main.ts';
import { startScriptedModel } from '../pictures/scripted-model.ts';
import { seedExecution, seedPrompts, seedUsage } from '../pictures/seed.ts';
import { type Ids, seedEverything } from './seed.ts';

export type Shop = { url: string; signInPath: string; ids: Ids; stop(): Promise<void> };

/** A server with the data of a small shop, for pictures of every page. */
export async function openShop(): Promise<Shop> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tramontane-shots-'));
  const model = await startScriptedModel();
  let platform: Platform | undefined;
  const file = FileConfig.parse({
    models: ['qwen3-32b', 'devstral-24b'].map((id) => ({
      ...{ id, engine: 'upstream', url: model.url, price: { prompt: 0.4, completion: 1.2 } },
      capabilities: { completion_chat: true, function_calling: true },
    })),
    outbound: { allow: ['127.0.0.1:9'] },
  });
  const environment = { TRAMONTANE_PORT: '0', TRAMONTANE_DATA_DIR: dataDir, TRAMONTANE_AUTO_PULL: 'off' };
  const server = await startServer(
    { ...loadConfig(environment), file },
    {
      log: createLog('fatal'),
      console: {},
      extraRoutes: (opened) => {
        platform = opened;
        return [];
      },
    },
  );
  if (!server.bootstrap.created || !platform) throw new Error('A fresh data dir has a first start.');
  const access = { url: server.url, key: server.bootstrap.apiKey };
  await seedPrompts(access);
  await seedUsage(platform, Date.now());
  const { worker, execution } = await seedExecution(access);
  const ids = { ...(await seedEverything(access)), executionId: execution };
  return {
    url: server.url,
    signInPath: server.bootstrap.link.path,
    ids,
    async stop() {
      await worker.stop(0);
      await server.stop();
      model.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
