import type { IncomingHttpHeaders } from 'node:http';

/**
 * The authenticated caller. The room that owns identities adds its fields by declaration merging; kit only needs what it
 * checks itself.
 */
export interface Scope {
  /** Partition for idempotency keys: two principals never see each other's responses. */
  principal: string;
  permissions: ReadonlySet<string>;
  /** Background work: its usage is counted, but rate limits do not apply. */
  isBackground?: boolean;
  /** Why this principal may do nothing for now, in a sentence for the client. */
  refusal?: string | undefined;
}

export type Credentials = {
  authorization: string | undefined;
  apiKey: string | undefined;
  /** Cache of the authenticator, while one connection sends the same credentials. */
  hash?: string | undefined;
  /** Only on a request that has a cookie and no key. */
  browser?: BrowserRequest | undefined;
};

/** The session cookie of a browser, and which page sent the request. */
export type BrowserRequest = {
  method: string;
  headers: IncomingHttpHeaders;
  /** Our host as the browser sees it, according to a trusted proxy. */
  host: string;
};

/** The kind of key a route needs; `console` takes a signed-in session and no key. */
export type Surface = 'standard' | 'admin' | 'console';

/** Turns credentials into a scope; undefined when they are not valid. Synchronous when cached. */
export type Authenticate = (
  credentials: Credentials,
  surface: Surface,
) => Scope | undefined | Promise<Scope | undefined>;
