import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { probeTargets } from './probe.ts';

it('a server that accepts connections is there, one that does not is not, and one of several is enough', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const alive = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  expect(await probeTargets([alive])).toBe(true);
  server.close();
  await once(server, 'close');
  const dead = alive;
  expect(await probeTargets([dead])).toBe(false);
  expect(await probeTargets([{ origin: 'http://name.invalid' }, dead])).toBe(false);
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  expect(await probeTargets([dead, { origin: `http://127.0.0.1:${(other.address() as AddressInfo).port}` }])).toBe(
    true,
  );
  other.close();
});
