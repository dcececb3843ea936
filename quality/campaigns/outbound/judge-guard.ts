import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound } from '../../../src/kit/outbound/index.ts';
import { RESOLVED } from './addresses.ts';

/** A name is resolved only when a connection is made, and may resolve differently a moment later. */
export async function judgeGuard(): Promise<{ tried: number; reached: string[] }> {
  let visits = 0;
  const opened = createServer((_request, response) => {
    // Closed, so that each request resolves the name again.
    response.writeHead(200, { connection: 'close' }).end('x');
  });
  const victim = createServer((_request, response) => {
    visits++;
    response.end('x');
  });
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => victim.listen(0, '::', resolve));
  const allowed = `127.0.0.1:${(opened.address() as AddressInfo).port}`;
  const { port } = victim.address() as AddressInfo;
  const reached: string[] = [];
  let tried = 0;

  async function attempt(what: string, answers: string[][], urls: string[]): Promise<void> {
    let asked = 0;
    const lookup = async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
    const outbound = createOutbound({ allow: [allowed], lookup, timeoutMs: 5000 });
    const before = visits;
    try {
      for (const url of urls) await (await outbound.fetch(url)).text();
      reached.push(`${what}: was let through`);
    } catch {
      if (visits > before) reached.push(`${what}: was visited`);
    } finally {
      tried++;
      await outbound.close();
    }
  }

  const [, openPort] = allowed.split(':');
  for (const address of RESOLVED) {
    await attempt(`a name for ${address}`, [[address]], [`http://inner.example:${port}/`]);
    await attempt(`a name for nothing else but ${address}`, [[address, address]], [`http://inner.example:${port}/`]);
    // The first lookup leads to the allowed port, the second, of the same name, elsewhere.
    await attempt(
      `a name that was harmless before ${address}`,
      [['127.0.0.1'], [address]],
      [`http://turning.example:${openPort}/`, `http://turning.example:${port}/`],
    );
  }
  for (const server of [opened, victim]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return { tried, reached };
}
