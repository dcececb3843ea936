import { get } from 'node:http';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { openDoor } from './door.ts';
import { listen } from './listen.ts';

const HOST = '127.0.0.1';

async function open() {
  const door = await openDoor({ host: HOST, port: 0 });
  onTestFinished(door.close);
  return { door, url: `http://${HOST}:${door.port}` };
}

it('says that the process is alive and not ready, and refuses the rest for a moment', async () => {
  const { url } = await open();
  const alive = await fetch(`${url}/healthz`);
  expect([alive.status, await alive.json()]).toEqual([200, { status: 'ok' }]);
  for (const path of ['/readyz', '/metrics', '/v1/models']) {
    const refused = await fetch(`${url}${path}`, { method: path === '/v1/models' ? 'POST' : 'GET' });
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      '1',
      expect.objectContaining({ code: 'server_starting', message: expect.stringContaining('starting') }),
    ]);
  }
});

it('refuses a port that is taken, before anything else is opened', async () => {
  const { door } = await open();
  await expect(openDoor({ host: HOST, port: door.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it.skipIf(process.platform !== 'linux')('gives its port to the server without refusing a connection', async () => {
  const { door, url } = await open();
  const app = fastify();
  app.get('/healthz', () => ({ status: 'ok' }));
  const statuses: unknown[] = [];
  let isAsking = true;
  const asking = (async () => {
    while (isAsking) statuses.push(await ask(`${url}/healthz`));
  })();
  const { stop } = await listen(app, door, door);
  onTestFinished(async () => {
    stop();
    await app.close();
  });
  while (statuses.length < 200) await new Promise((resolve) => setImmediate(resolve));
  isAsking = false;
  await asking;
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await fetch(`${url}/none`)).status).toBe(404);
});

function ask(url: string): Promise<unknown> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', resolve);
  });
}
