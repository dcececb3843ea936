import { expect, it } from 'vitest';
import { createClientRequests } from './client-requests.ts';
import { SessionlessTransport } from './sessionless-transport.ts';

it('the requests of a tool are forgotten when its client disconnects', async () => {
  const requests = createClientRequests();
  const transport = new SessionlessTransport(requests, 'ada');
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 0, method: 'elicitation/create' });
  expect(requests.size).toBe(1);
  await transport.close();
  expect(requests.size).toBe(0);
});
