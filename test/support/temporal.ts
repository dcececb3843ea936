import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, ping } from '../../src/workflows/engines/temporal/connect.ts';
import { atEnd } from './cleanup.ts';
import { temporal } from './temporal-program.ts';

const START_MS_MAX = 60_000;

/** A separate Temporal, in memory; returns its address when it responds. */
export async function startTemporal(at?: number): Promise<string> {
  if (!temporal) throw new Error('TRAMONTANE_TEST_TEMPORAL names no program');
  const port = at ?? (await freePort());
  const address = `127.0.0.1:${port}`;
  const child = spawn(temporal, ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
  });
  atEnd(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const connection = connect({ address });
  const until = Date.now() + START_MS_MAX;
  for (;;) {
    try {
      await ping(connection, 1000);
      break;
    } catch (error) {
      if (Date.now() > until || child.exitCode !== null) throw error;
      await pause(50);
    }
  }
  await connection.close();
  return address;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
