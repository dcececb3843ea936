import { hostname } from 'node:os';
import type { Config } from '../../config/config.ts';
import { listSecrets } from '../../config/list-secrets.ts';
import { openExistingPlatform } from '../../operator/open-existing-platform.ts';
import type { Context } from '../shell/command.ts';
import { superviseWorker } from '../worker/supervise-worker.ts';

/** Shorter values, such as a port in a URL, may equal unrelated variables. */
const SECRET_CHARACTERS_MIN = 8;

/** Runs a worker next to the server, with an API key that is revoked when the server stops. */
export async function startWorkflowWorker(
  { environment, output }: Context,
  config: Config,
  url: string,
  dir: string,
): Promise<{ stop(): Promise<void> }> {
  const given = environment.TRAMONTANE_API_KEY;
  const key = given === undefined ? await createKey(config, url) : { value: given, revoke: async () => undefined };
  const worker = superviseWorker({
    args: [dir],
    environment,
    server: { url, apiKey: key.value },
    secrets: listSecrets(config).filter(({ length }) => length >= SECRET_CHARACTERS_MIN),
    onExit: (reason, waitMs) => output.note(`the worker of ${dir} exited (${reason}); restarting in ${waitMs} ms`),
  });
  return {
    async stop() {
      await worker.stop();
      await key.revoke();
    },
  };
}

/** Also revokes keys that an earlier server at this address left behind when it was killed. */
async function createKey(config: Config, url: string): Promise<{ value: string; revoke(): Promise<void> }> {
  const name = `start --workflows on ${hostname()}:${new URL(url).port}`;
  const platform = await openExistingPlatform(config);
  try {
    const stale = (await platform.tenants.keys.list()).filter((key) => key.name === name && key.revoked_at === null);
    for (const { id } of stale) await platform.tenants.keys.revoke(id);
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
