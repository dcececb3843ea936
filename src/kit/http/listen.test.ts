import { once } from 'node:events';
import { connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from './listen.ts';

type Started = { app: FastifyInstance; port: number; end(): Promise<void> };

async function start(port = 0): Promise<Started> {
  const app = fastify();
  const { url, stop } = await listen(app, { host: '127.0.0.1', port });
  const end = async () => {
    stop();
    await app.close();
  };
  onTestFinished(end);
  return { app, port: Number(new URL(url).port), end };
}

it.skipIf(process.platform !== 'linux')('many connections are accepted in few rounds of the event loop', async () => {
  const { app, port } = await start();
  let accepted = 0;
  app.server.on('connection', () => {
    accepted++;
  });
  const clients = Array.from({ length: 160 }, () => connect(port, '127.0.0.1'));
  onTestFinished(() => {
    for (const client of clients) client.destroy();
  });
  let rounds = 0;
  await new Promise<void>((resolve) => {
    const look = () => {
      if (accepted === clients.length) return resolve();
      if (accepted > 0) rounds++;
      setImmediate(look);
    };
    look();
  });
  expect(rounds).toBeLessThan(80);
});

it('requests reach the server by whichever listener accepts them', async () => {
  const { app, port } = await start();
  expect(app.server.listening).toBe(true);
  const statuses = await Promise.all(
    Array.from({ length: 64 }, async () => (await fetch(`http://127.0.0.1:${port}/`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([404]));
});

it('a port that another server listens on is refused', async () => {
  const { port } = await start();
  await expect(listen(fastify(), { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('of servers that start on one port at the same time, one has it', async () => {
  const { port, end } = await start();
  await end();
  const started = await Promise.allSettled(Array.from({ length: 4 }, () => start(port)));
  const refused = started.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(refused).toEqual(['EADDRINUSE', 'EADDRINUSE', 'EADDRINUSE']);
});

it('a server that has stopped accepts no connection', async () => {
  const app = fastify();
  const { url, stop } = await listen(app, { host: '127.0.0.1', port: 0 });
  stop();
  await app.close();
  for (let n = 0; n < 32; n++) {
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    await expect(once(client, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }
});
