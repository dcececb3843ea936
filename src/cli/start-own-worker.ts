import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { openExistingPlatform } from '../operator/open-existing-platform.ts';
import type { Context } from './command.ts';
import { superviseWorker } from './supervise-worker.ts';

/** A worker beside the server that was just started, with a key of its own that lives as long as the server. */
export async function startOwnWorker(
  { environment, output }: Context,
  config: Config,
  url: string,
  dir: string,
): Promise<{ stop(): Promise<void> }> {
  const given = environment.TRAMONTANE_API_KEY;
  const key = given === undefined ? await makeKey(config, url) : { value: given, revoke: async () => undefined };
  const worker = superviseWorker({
    words: [dir],
    environment: { ...environment, TRAMONTANE_URL: url, TRAMONTANE_API_KEY: key.value },
    onDeath: (how, waitMs) => output.note(`the worker of ${dir} ended (${how}); it is started again in ${waitMs} ms`),
  });
  return {
    async stop() {
      await worker.stop();
      await key.revoke();
    },
  };
}

/** Keys that an earlier server of this address left behind when it was killed are revoked as well. */
async function makeKey(config: Config, url: string): Promise<{ value: string; revoke(): Promise<void> }> {
  const name = `start --workflows on ${hostname()}:${new URL(url).port}`;
  const platform = await openExistingPlatform(config);
  try {
    const left = (await platform.tenants.keys.list()).filter((key) => key.name === name && key.revoked_at === null);
    for (const { id } of left) await platform.tenants.keys.revoke(id);
    const { id, value } = await platform.tenants.keys.create({ kind: 'standard', name });
    return {
      value,
      async revoke() {
        const again = await openExistingPlatform(config);
        await again.tenants.keys.revoke(id).finally(() => again.close());
      },
    };
  } finally {
    await platform.close();
  }
}
