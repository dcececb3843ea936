import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

onEachDatabase('/v2/prompts', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(database);
  });

  describe('200', () => {
    it('makes, reads, lists and deletes a prompt', async () => {
      const created = await call(server, '/v2/prompts', {
        body: { name: 'greeting', definition: { content: 'Hi {{name}}' }, aliases: ['production'] },
      });
      expect(created).toMatchObject({ status: 200, body: { name: 'greeting', version: 1, aliases: ['production'] } });
      expect(created.headers.get('tramontane-undeclared-variables')).toBe('name');
      const read = await call(server, '/v2/prompts/greeting?alias=production');
      expect(read.body).toEqual(created.body);
      const etag = read.headers.get('etag') ?? '';
      expect((await call(server, '/v2/prompts/greeting', { headers: { 'if-none-match': etag } })).status).toBe(304);
      expect((await call(server, '/v2/prompts')).body).toEqual({ data: [created.body] });
      const version = await call(server, '/v2/prompts/greeting/versions', { body: { definition: { content: 'Ho' } } });
      expect(version.body).toEqual({ version: 2, deduplicated: false });
      const versions = await call(server, '/v2/prompts/greeting/versions');
      expect(versions.body).toMatchObject({ data: [{ version: 2 }, { version: 1, aliases: ['production'] }] });
      expect((await call(server, '/v2/prompts/greeting', { method: 'DELETE' })).body).toEqual({});
      expect((await call(server, '/v2/prompts/greeting')).status).toBe(404);
    });
  });
});
