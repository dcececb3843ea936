import { vi } from 'vitest';
import { createSignal } from '../../src/kit/db/index.ts';
import { registerFineTuned } from '../../src/models/index.ts';
import { call } from '../support/call.ts';
import type { TestServer } from '../support/server.ts';

/** Registers an adapter over a model, as the operator's command does, and waits until the server has applied it. */
export async function registerTuned(server: TestServer, root: string): Promise<string> {
  const { database } = server.platform;
  const { workspace } = (await call(server, '/v1/users/me')).body as { workspace: { id: string } };
  const ports = { database, signal: createSignal(database, 'models', Date.now), now: Date.now };
  const { id } = await registerFineTuned(ports, {
    workspaceId: workspace.id,
    root,
    file: null,
    adapter: '/nowhere/adapter.gguf',
    name: 'Tuned',
  });
  await vi.waitFor(async () => {
    if ((await call(server, `/v1/models/${id}`)).status !== 200) throw new Error(`${id} is not there yet`);
  }, 5000);
  return id;
}
