import { createServer } from 'node:net';
import { codeOf } from '../../kit/base/error-code.ts';
import { type Check, fail, ok } from './check.ts';

const NAME = 'port';
const RESPONSE_MS = 2000;
/** Every response of our server has it, even an error. */
const OUR_HEADER = 'mistral-correlation-id';
const LOOPBACK_OF: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Whether the port is free, or already served by our own server. */
export async function checkPort(host: string, port: number): Promise<Check> {
  if (port === 0) return ok(NAME, 'the system chooses a free one (TRAMONTANE_PORT=0)');
  if (await isOurServer(host, port)) return ok(NAME, `${port} on ${host} is served by tramontane`);
  const code = await tryToListen(host, port);
  switch (code) {
    case '':
      return ok(NAME, `${port} on ${host} is free`);
    case 'EADDRINUSE':
      return fail(
        NAME,
        `${port} on ${host} is taken by another program`,
        'stop that program, or choose another port with TRAMONTANE_PORT',
      );
    case 'EACCES':
      return fail(
        NAME,
        `${port} on ${host} may not be used by this user`,
        'choose a port above 1023 with TRAMONTANE_PORT',
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return fail(
        NAME,
        `this machine has no address ${host}`,
        'set TRAMONTANE_HOST to one it has, such as 127.0.0.1 or 0.0.0.0',
      );
    default:
      return fail(NAME, `${port} on ${host} cannot be used (${code})`, 'choose another port with TRAMONTANE_PORT');
  }
}

async function isOurServer(host: string, port: number): Promise<boolean> {
  return (await askOurServer(host, port, '/healthz')) !== undefined;
}

/** What our own server on this port responds; undefined if there is none. */
export async function askOurServer(host: string, port: number, path: string): Promise<string | undefined> {
  const reachable = LOOPBACK_OF[host] ?? host;
  const address = reachable.includes(':') ? `[${reachable}]` : reachable;
  try {
    const response = await fetch(`http://${address}:${port}${path}`, { signal: AbortSignal.timeout(RESPONSE_MS) });
    const text = await response.text();
    return response.ok && response.headers.has(OUR_HEADER) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The error code; empty if the port is free. */
export function tryToListen(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(codeOf(error) || error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve('')));
  });
}
