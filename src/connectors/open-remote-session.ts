import type { Outbound } from '../kit/outbound/index.ts';
import { credentialsIn } from './authorize.ts';
import { isRefusal, mayBeOlder } from './explain-failure.ts';
import { type Era, openSession, type Session } from './open-session.ts';
import { httpWire, sseWire } from './wires.ts';

type Options = {
  url: string;
  headers: Headers;
  outbound: Outbound;
  version: string;
  era: Era | undefined;
  timeoutMs: number;
  /** Of all responses of the session together, until it is renewed. */
  bytesMax: number;
  signal: AbortSignal;
};

/** A session over streamable HTTP, or over the older transport where a server knows only that. */
export async function openRemoteSession(options: Options): Promise<Session> {
  const { era, ...rest } = options;
  const common = { ...rest, secrets: credentialsIn(options.url, options.headers) };
  if (era?.kind === 'older transport') return openOlder(common);
  try {
    return await openSession(await httpWire(options), { ...common, era });
  } catch (error) {
    if (era || !mayBeOlder(error)) throw error;
    return openOlder(common).catch((second: unknown) => {
      // What the server says about its present transport is more useful, unless it only wants credentials.
      throw isRefusal(second) ? second : error;
    });
  }
}

async function openOlder(options: Omit<Options, 'era'> & { secrets: string[] }): Promise<Session> {
  const session = await openSession(await sseWire(options), { ...options, era: { kind: 'legacy' } });
  return { ...session, era: { kind: 'older transport' } };
}
