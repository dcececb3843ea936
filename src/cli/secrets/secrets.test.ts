import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startFakeMcp } from '../../../test/support/mcp-server.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { rotateSecrets } from '../../operator/rotate-secrets.ts';
import { runHere } from '../run-here-for-tests.ts';

it('secrets rotate: a running server goes on with the new key, and what has lost its key is counted', async () => {
  const wiki = await startFakeMcp();
  const server = await startTestServer(sqliteForTests(), { file: { outbound: { allow: [wiki.place] } } });
  const file = join(server.config.dataDir, 'secrets.key');
  const global_headers = { 'X-Global': { value: 'a-global-secret' } };
  const body = { name: 'wiki', description: 'x', server: wiki.url, global_headers };
  await call(server, '/v1/connectors', { body });
  const credentials = { name: 'main', credentials: { bearer_token: 'a-token-to-rotate' } };
  await call(server, '/v1/connectors/wiki/user/credentials', { body: credentials });
  const use = async () => {
    expect((await call(server, '/v1/connectors/wiki/tools/echo/call', { body: {} })).status).toBe(200);
    return wiki.seen.findLast(({ method }) => method === 'tools/call')?.headers;
  };
  const sent = { authorization: 'Bearer a-token-to-rotate', 'x-global': 'a-global-secret' };
  expect(await use()).toMatchObject(sent);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file, 'utf8');
  const { database } = server.platform;

  expect(await rotateSecrets(server.config, database)).toEqual({ resealed: 2, unreadable: 0, file, keys: 2 });
  expect(readFileSync(file, 'utf8')).not.toBe(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await use()).toMatchObject(sent);
  expect(await rotateSecrets(server.config, database)).toMatchObject({ resealed: 2, keys: 2 });
  expect(await use()).toMatchObject(sent);

  rmSync(file);
  expect(await rotateSecrets(server.config, database)).toMatchObject({ resealed: 0, unreadable: 2 });
  expect(
    await runHere(['secrets', 'rotate'], { TRAMONTANE_DATA_DIR: join(server.config.dataDir, 'none') }),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no platform here yet'),
  });
});

it('secrets rotate: secrets of webhooks and of notification endpoints are encrypted anew', async () => {
  const server = await startTestServer(sqliteForTests());
  const webhook = await call(server, '/v1/webhooks', { body: { provider: 'github', name: 'x' } });
  const path = `/v1/webhooks/${(webhook.body as { id: string }).id}/signing-secret`;
  const { body: before } = await call(server, path);
  const endpoint = await call(server, '/v1/notifications/endpoints', { body: { url: 'https://example.com' } });
  await call(server, `/v1/notifications/endpoints/${(endpoint.body as { id: string }).id}/rotate-secret`, {
    method: 'POST',
  });
  const { database } = server.platform;
  expect(await rotateSecrets(server.config, database)).toMatchObject({ resealed: 3, unreadable: 0 });
  expect(await rotateSecrets(server.config, database)).toMatchObject({ resealed: 3, unreadable: 0 });
  expect((await call(server, path)).body).toEqual(before);
  rmSync(join(server.config.dataDir, 'secrets.key'));
  expect(await rotateSecrets(server.config, database)).toMatchObject({ resealed: 0, unreadable: 3 });
  expect((await call(server, path)).status).toBe(503);
});
