import { expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { startTestServer } from '../../test/support/server.ts';
import { connect } from './connect-for-tests.ts';

it('200 official clients of both eras work at the same time [MCP-PARALLEL]', async () => {
  const server = await startTestServer(sqliteForTests());
  await call(server, '/v2/skills', { body: { name: 'popular', definition: { description: 'x', body: 'Read on.' } } });
  const clients = await Promise.all(
    Array.from({ length: 200 }, (_, i) => connect(server, i % 2 ? '2025-11-25' : '2026-07-28')),
  );
  const found = await Promise.all(
    clients.map(async ({ client }) => {
      // Not listTools(): the client would compile every schema, 200 times over.
      const { tools } = await client.request({ method: 'tools/list' });
      const { structuredContent } = await client.callTool({ name: 'get_skill', arguments: { skill: 'popular' } });
      return [tools.length, (structuredContent as { body: string }).body];
    }),
  );
  expect(found).toEqual(Array.from({ length: 200 }, () => [9, 'Read on.']));
  await Promise.all(clients.map(({ client }) => client.close()));
}, 60_000);
