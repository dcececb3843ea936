import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { ACCEPT } from '../../test/support/mcp.ts';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { connect, eras } from './connect-for-tests.ts';

const ELSEWHERE = '00000000-0000-4000-8000-000000000000';
const pathOf = (id: string) => `/v1/connectors-gateway/${id}/mcp`;

let server: TestServer;
let wiki: FakeMcp;
beforeAll(async () => {
  wiki = await startFakeMcp();
  server = await startTestServer(sqliteForTests(), {
    file: {
      connectors: [
        { id: 'wiki', url: wiki.url, headers: { Authorization: 'Bearer of-the-operator' } },
        { id: 'private', url: wiki.url, workspaces: [ELSEWHERE] },
      ],
    },
  });
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ask = (id: string, key?: string) => call(server, pathOf(id), { key, body: LIST, headers: { accept: ACCEPT } });

describe('200', () => {
  it.each(eras)('a client of %s lists and calls the tools with the credentials of the operator', async (era) => {
    const { client } = await connect(
      { url: server.url + pathOf('wiki').slice(0, -'/mcp'.length), key: server.key },
      era,
    );
    atEnd(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'salut' } });
    expect(result.content).toEqual([{ type: 'text', text: 'You said salut' }]);
    expect(wiki.seen.at(-1)?.headers.authorization).toBe('Bearer of-the-operator');
    expect(JSON.stringify(wiki.seen)).not.toContain(server.key);
  });

  it('pictures, links and structured content reach the client', async () => {
    wiki.answer = () => ({
      content: [
        { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' },
        { type: 'resource_link', uri: 'https://wiki.example.com/wind', name: 'Wind' },
      ],
      structuredContent: { winds: 2 },
    });
    const { client } = await connect({ url: `${server.url}/v1/connectors-gateway/wiki`, key: server.key }, eras[0]);
    atEnd(() => client.close());
    expect(await client.callTool({ name: 'echo', arguments: {} })).toMatchObject({
      content: [
        { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' },
        { type: 'resource_link', uri: 'https://wiki.example.com/wind', name: 'Wind' },
      ],
      structuredContent: { winds: 2 },
    });
  });

  it('a tool that fails, or is not there, is a result with an error that the model can read', async () => {
    wiki.instead = (_request, response, message) => {
      if (message?.method !== 'tools/call') return false;
      response.writeHead(500).end();
      return true;
    };
    const { client } = await connect({ url: `${server.url}/v1/connectors-gateway/wiki`, key: server.key }, eras[0]);
    atEnd(() => client.close());
    for (const name of ['echo', 'forge'])
      expect(await client.callTool({ name, arguments: {} })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining("The connector 'wiki'") }],
      });
    wiki.instead = undefined;
  });
});

it('401: without a key there is nothing', async () => {
  expect((await ask('wiki', '')).status).toBe(401);
});

it('404: a connector of another workspace looks exactly like a missing one', async () => {
  const [foreign, none] = [await ask('private'), await ask('nowhere')];
  expect(foreign).toMatchObject({ status: 404, body: { code: 'connector_absent' } });
  expect(foreign.text.replace('private', 'nowhere')).toBe(none.text);
});

it('405: there is no stream to listen to, which clients of the protocol expect', async () => {
  expect((await call(server, pathOf('wiki'), { headers: { accept: ACCEPT } })).status).toBe(405);
});
