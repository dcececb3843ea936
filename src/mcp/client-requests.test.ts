import { beforeAll, expect, it } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { ACCEPT } from '../../test/support/mcp.ts';
import { startFixtureServer } from './server-for-tests/server.ts';

let url: string;
beforeAll(async () => {
  const server = await startFixtureServer();
  url = server.url;
  atEnd(server.stop);
});

const send = (message: object) =>
  fetch(url, {
    method: 'POST',
    headers: { accept: ACCEPT, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });

/** Calls the tool that sends a request to its client, and reads the request. */
async function receiveRequest() {
  const params = { name: 'test_elicitation', arguments: { message: 'Who are you?' } };
  const response = await send({ id: 1, method: 'tools/call', params });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = '' } = (await reader?.read()) ?? {};
  return { reader, clientRequest: JSON.parse(value.slice(value.indexOf('{'))) as { id: string; method: string } };
}

it('a tool sends its client a request in the stream of its call, and receives the response of another POST', async () => {
  const { reader, clientRequest } = await receiveRequest();
  expect(clientRequest).toMatchObject({ method: 'elicitation/create', params: { message: 'Who are you?' } });
  const result = { action: 'accept', content: { username: 'ada' } };
  expect((await send({ id: clientRequest.id, result })).status).toBe(202);
  const { value = '' } = (await reader?.read()) ?? {};
  expect(value).toContain('accept');
  expect(value).toContain('ada');
});
