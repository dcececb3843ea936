import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

const PATH = '/v1/connectors/bootstrap';
const ELSEWHERE = '00000000-0000-4000-8000-000000000000';
type Bootstrap = {
  connectors: { id: string; status: { is_ready: boolean }; tools: unknown[]; bootstrap_errors: string[] }[];
};

let server: TestServer;
let crowded: FakeMcp;
beforeAll(async () => {
  const wiki = await startFakeMcp();
  crowded = await startFakeMcp(Array.from({ length: 129 }, (_, index) => ({ name: `tool_${index}` })));
  const down = await startFakeMcp();
  await down.close();
  server = await startTestServer(sqliteForTests(), {
    file: {
      connectors: [
        {
          id: 'wiki',
          url: wiki.url,
          description: 'Pages of our wiki',
          headers: { Authorization: 'Bearer secret-of-wiki' },
        },
        { id: 'crowded', url: crowded.url },
        { id: 'down', url: down.url },
        { id: 'private', url: wiki.url, workspaces: [ELSEWHERE] },
      ],
    },
  });
});

const bootstrap = async (query = '') => (await call(server, `${PATH}${query}`)).body as Bootstrap;
const find = async (id: string) => (await bootstrap()).connectors.find((connector) => connector.id === id);

describe('200', () => {
  it('a client finds each connector of its workspace with its tools, and no other', async () => {
    const query = '?include_auth_actionable_connectors=true&builtin_connectors=web_search&supports_mcp=true';
    const { connectors } = await bootstrap(query);
    expect(connectors.map(({ id }) => id)).toEqual(['wiki', 'crowded', 'down']);
    expect(connectors[0]).toEqual({
      id: 'wiki',
      name: 'wiki',
      display_name: 'wiki',
      description: 'Pages of our wiki',
      protocol: 'mcp',
      status: { is_ready: true },
      auth_action: null,
      tools: [{ name: 'echo', description: 'Say it again', inputSchema: expect.objectContaining({ type: 'object' }) }],
      bootstrap_errors: [],
    });
  });

  it('one that does not respond is not ready and says why, without its address', async () => {
    const down = await find('down');
    expect(down).toMatchObject({ status: { is_ready: false }, tools: [] });
    expect(down?.bootstrap_errors).toEqual([expect.stringMatching(/^connector_failed: /)]);
    expect(JSON.stringify(await bootstrap())).not.toMatch(/127\.0\.0\.1|secret-of-wiki/);
  });

  it('no more tools are listed than clients take', async () => {
    const { tools, bootstrap_errors } = (await find('crowded')) ?? {};
    expect(tools).toHaveLength(128);
    expect(bootstrap_errors).toEqual(['too_many_tools: Of 129 tools the first 128 are offered.']);
  });

  it('what a client reports about itself is accepted and not kept', async () => {
    const body = { event: 'vibe.ready', properties: { init_duration_ms: 221 } };
    expect(await call(server, '/v1/datalake/events', { body })).toMatchObject({ status: 204, text: '' });
  });
});

it('401: without a key there is nothing', async () => {
  expect((await call(server, PATH, { key: '' })).status).toBe(401);
});

it('422: an unknown parameter is refused', async () => {
  expect((await call(server, `${PATH}?colour=blue`)).status).toBe(422);
});
