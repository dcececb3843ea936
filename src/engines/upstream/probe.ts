import { connect } from 'node:net';
import type { KnownTarget } from './target.ts';

const PATIENCE_MS = 1500;

/** Whether one of the servers accepts a connection. Nothing is sent, so that no provider counts it. */
export async function probeTargets(
  targets: readonly Pick<KnownTarget, 'origin'>[],
  permits: (origin: URL) => Promise<boolean> = async () => true,
): Promise<boolean> {
  const probe = async (origin: URL) => (await permits(origin)) && accepts(origin);
  const found = await Promise.all(targets.map(({ origin }) => probe(new URL(origin))));
  return found.includes(true);
}

function accepts({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      timeout: PATIENCE_MS,
    });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
