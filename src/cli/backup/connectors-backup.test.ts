import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { startFakeMcp } from '../../../test/support/mcp-server.ts';
import { preparePlatform, run, startCli } from '../run-for-tests.ts';

type Body = { tools: object[]; credentials: object[]; connection_preferences: object[] };

inFull.it(
  'a backup has connectors, credentials and rules, but not the key: without it the credentials alone are lost',
  async () => {
    const wiki = await startFakeMcp([{ name: 'echo', description: 'Say it again' }, { name: 'drop' }]);
    const { environment, key } = await preparePlatform();
    const dataDir = environment.TRAMONTANE_DATA_DIR ?? '';
    const config = join(temporaryDir(), 'tramontane.yaml');
    writeFileSync(config, JSON.stringify({ models: [], outbound: { allow: [wiki.place] } }));
    const start = (data: string) => startCli(['--config', config], { TRAMONTANE_DATA_DIR: data });
    const ask = async (server: { url: string }, path: string, options: Parameters<typeof call>[2] = {}) => {
      const answer = await call({ url: server.url, key }, `/v1/${path}`, options);
      return { status: answer.status, body: answer.body as Body };
    };

    const first = await start(dataDir);
    const secret = 'a-token-of-the-backup';
    await ask(first, 'connectors', { body: { name: 'wiki', description: 'x', server: wiki.url } });
    await ask(first, 'connectors/wiki/user/credentials', {
      body: { name: 'main', credentials: { bearer_token: secret } },
    });
    await ask(first, 'connectors/wiki/user/preferences', { method: 'PUT', body: { exclude: ['drop'] } });
    await ask(first, 'libraries', { body: { name: 'Winds' } });
    expect((await ask(first, 'connectors/wiki/tools/echo/call', { body: {} })).status).toBe(200);
    await first.stop();

    const dir = join(temporaryDir(), 'backup');
    const keyFile = join(dataDir, 'secrets.key');
    const backup = await run(['backup', dir], environment);
    expect(backup.stdout).toContain(`keep a copy of ${keyFile} elsewhere`);
    expect(readdirSync(dir)).not.toContain('secrets.key');
    expect(readFileSync(join(dir, 'tramontane.db')).includes(secret)).toBe(false);

    const target = join(temporaryDir(), 'data');
    const restore = await run(['restore', dir], { TRAMONTANE_DATA_DIR: target });
    expect(restore).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`put the file secrets.key into ${target}`),
    });
    expect(existsSync(join(target, 'secrets.key'))).toBe(false);
    const without = await start(target);
    expect((await ask(without, 'connectors/wiki')).body).toMatchObject({
      name: 'wiki',
      connection_preferences: [{ consumer_type: 'user', tool_configuration: { exclude: ['drop'] } }],
    });
    expect(await ask(without, 'connectors/wiki/tools/echo/call', { body: {} })).toMatchObject({
      status: 403,
      body: { code: 'connector_sign_in_required' },
    });
    expect((await ask(without, 'connectors/wiki/user/credentials')).body).toMatchObject({
      credentials: [{ name: 'main', status: { status_type: 'invalid', error_message: 'unparsable credentials' } }],
    });
    expect((await ask(without, 'libraries')).body).toMatchObject({ data: [{ name: 'Winds' }] });
    await without.stop();

    copyFileSync(keyFile, join(target, 'secrets.key'));
    const complete = await start(target);
    expect((await ask(complete, 'connectors/wiki/tools/echo/call', { body: {} })).status).toBe(200);
    expect(wiki.seen.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
    expect((await ask(complete, 'connectors/wiki/tools/drop/call', { body: {} })).status).toBe(404);
    await complete.stop();
  },
  60_000,
);
