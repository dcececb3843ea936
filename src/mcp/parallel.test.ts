import { expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { rounds } from '../../test/support/rounds.ts';
import { startTestServer } from '../../test/support/server.ts';
import { connect } from './connect-for-tests.ts';

const CLIENTS = rounds(40, 200);

it('many official clients of both eras work at the same time [MCP-PARALLEL]', async () => {
  const server = await startTestServer(sqliteForTests());
  await call(server, '/v2/skills', { body: { name: 'popular', definition: { description: 'x', body: 'Read on.' } } });
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, (_, i) => connect(server, i % 2 ? '2025-11-25' : '2026-07-28')),
  );
  const found = await Promise.all(
    clients.map(async ({ client }) => {
      // Not listTools(): the client would compile every schema, for each of them.
      const { tools } = await client.request({ method: 'tools/list' });
      const { structuredContent } = await client.callTool({ name: 'get_skill', arguments: { skill: 'popular' } });
      return [tools.length, (structuredContent as { body: string }).body];
    }),
  );
  expect(found).toEqual(Array.from({ length: CLIENTS }, () => [12, 'Read on.']));
  await Promise.all(clients.map(({ client }) => client.close()));
}, 60_000);
