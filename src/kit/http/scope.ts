import type { IncomingHttpHeaders } from 'node:http';

/**
 * Who asks, as the authenticate port found out. The room that owns identities adds its fields by
 * declaration merging; kit only needs what it checks itself.
 */
export interface Scope {
  /** Partition for idempotency keys: two principals never see each other's answers. */
  principal: string;
  permissions: ReadonlySet<string>;
  /** Work that nobody waits for: its use is counted, but no rate limit holds it back. */
  isBackground?: boolean;
  /** Why this principal may do nothing at all for now, in a sentence for the client. */
  refusal?: string | undefined;
}

export type Credentials = {
  authorization: string | undefined;
  apiKey: string | undefined;
  /** For the authenticator: what it makes of them, as long as one connection brings the same. */
  hash?: string | undefined;
  /** Only on a request that has a cookie and no key. */
  browser?: BrowserRequest | undefined;
};

/** What tells who sits at a browser, and which page sent the request. */
export type BrowserRequest = {
  method: string;
  headers: IncomingHttpHeaders;
  /** As the browser named us, as far as a trusted proxy tells. */
  host: string;
};

/** Which kind of key a route asks for; `console` opens to no key, only to somebody who is signed in. */
export type Surface = 'standard' | 'admin' | 'console';

/** Turns credentials into a scope, or undefined when they open nothing. Synchronous when answered from memory. */
export type Authenticate = (
  credentials: Credentials,
  surface: Surface,
) => Scope | undefined | Promise<Scope | undefined>;
