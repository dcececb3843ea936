import { get } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 5;
const READY_LIMIT_MS = 30_000;

/** Until `/readyz` answers 200, in milliseconds since then. */
export async function waitUntilReady(port: number, startedAt: number): Promise<number> {
  while ((await statusOf(port)) !== 200) {
    if (performance.now() - startedAt > READY_LIMIT_MS) throw new Error(`Not ready after ${READY_LIMIT_MS} ms.`);
    await delay(POLL_MS);
  }
  return performance.now() - startedAt;
}

/** 0 while the server does not respond. */
function statusOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0));
    });
    request.setTimeout(1000, () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : 0));
    });
  });
}
