import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from './errors.ts';

/**
 * The authenticated caller. The room that owns identities adds its fields by declaration merging; kit only needs what it
 * checks itself.
 */
export interface Scope {
  /** Partition for idempotency keys: two principals never see each other's responses. */
  principal: string;
  permissions: ReadonlySet<string>;
  organization_id: string;
  /** The id that usage is counted under: the key's, or the user's in a session. Turns go by organization, then by it. */
  key_id: string;
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
  /** A second look at a running request, which is no further use of the session. */
  isFollowed?: boolean;
};

/**
 * The kind of key a route needs; `console` takes a signed-in session and no key, `live` also the short-lived tokens that a
 * standard key makes for browsers.
 */
export type Surface = KeySurface | 'live';
/** One for each kind of key. */
export type KeySurface = 'standard' | 'admin' | 'console';

/** Turns credentials into a scope; undefined when they are not valid. Synchronous when cached. */
export type Authenticate = (
  credentials: Credentials,
  surface: Surface,
) => Scope | undefined | Promise<Scope | undefined>;

/** Work that goes on while its caller may lose access: a running request, a followed stream, a job. */
export interface OpenWork {
  permission: string;
  /** The caller's scope when it was last looked at. */
  scope?: Scope | undefined;
  /** The caller's scope now, or why there is none. */
  again(): Scope | string | undefined | Promise<Scope | string | undefined>;
  end(reason: ApiError): void;
  /** Links of the watch's own list. */
  previous?: OpenWork | undefined;
  next?: OpenWork | undefined;
}

/** Looks again at all open work whenever somebody's access changes, and ends what has lost it. */
export type AccessWatch = {
  /** Grows with every change of who may do what. */
  changes(): number;
  /** `seen`: the number of changes when the scope was found. */
  open(work: OpenWork, seen: number): void;
  close(work: OpenWork): void;
};
