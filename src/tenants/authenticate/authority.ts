import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../kit/base/clock.ts';
import type { Database, Signal } from '../../kit/db/index.ts';
import { type AccessWatch, type ApiError, type OpenWork, requestErrors, type Scope } from '../../kit/http/index.ts';
import type { Permission } from '../permissions.ts';
import { findKeyWithOwner } from '../store/keys.ts';
import { createEntryCache } from './cache-entries.ts';
import { readKeyScope, readUserScope } from './read-scope.ts';
import type { Voucher } from './vouching.ts';

/** Expiry times are looked at this often, and a check that failed is repeated. */
const TICK_MS = 500;
const CHECKS_AT_ONCE = 16;

/** Who asked for stored work: a key, or a signed-in user where it is null or there is a session. */
export type Holder = {
  key_id: string | null;
  user_id: string;
  workspace_id: string;
  session_id?: string | undefined;
};

/** What somebody may do now, for work that was asked for earlier. */
export type Authority = AccessWatch & {
  /** The holder's scope, from memory once it was seen. Throws why the holder may not do this any more. */
  scopeOf(holder: Holder, permission: Permission): Scope | Promise<Scope>;
  /** Why the holder may not do this any more; undefined when all is well. */
  refusalOf(holder: Holder, permission: Permission): Promise<ApiError | undefined>;
  /** Ends the work when its authority is lost. Returns how to stop looking. */
  follow(holder: Holder, permission: Permission, end: (reason: ApiError) => void): () => void;
  /** Called after each change, for stored work that is not running. Never called twice at once. */
  onChange(sweep: () => Promise<void>): void;
  start(): void;
  stop(): Promise<void>;
};

export function createAuthority(
  database: Database,
  signal: Signal,
  now: Clock,
  vouching: Pick<Voucher, 'follow'>,
): Authority {
  const cache = createEntryCache<Scope | string>({ signal, now, read: (id) => readHolder(database, id) });
  const sweeps: (() => Promise<void>)[] = [];
  // A list of its own links: the old backing tables of a long-lived set would keep finished requests in memory.
  let first: OpenWork | undefined;
  let changes = 0;
  let isDue = false;
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;
  // The first to open does so within a request; the timer must not keep its context.
  const outside = AsyncLocalStorage.snapshot();

  signal.onChange(() => {
    changes++;
    isDue = true;
    checkSoon();
  });

  function find(holder: Holder): Scope | string | Promise<Scope | string> {
    const id = idOf(holder);
    const cached = cache.find(id);
    return cached === undefined ? cache.load(id).then(inTime) : inTime(cached);
  }

  function inTime(found: Scope | string | undefined): Scope | string {
    if (found === undefined || typeof found === 'string') return found ?? KEY_DELETED;
    return found.expires_at_ms !== undefined && found.expires_at_ms <= now() ? 'its API key has expired' : found;
  }

  /** A refusal is final, so it is read again: the queries of one read may have seen two states of the database. */
  async function confirm(holder: Holder, permission: string, found = find(holder)): Promise<Scope | string> {
    const first = await found;
    if (!refuse(first, permission)) return first;
    cache.forget(idOf(holder));
    return find(holder);
  }

  async function check(work: OpenWork & { holder?: Holder }): Promise<void> {
    const { permission, scope, holder = scope } = work;
    let found = (await work.again()) ?? SESSION_ENDED;
    if (holder && (work.holder || scope?.session_id === undefined)) found = await confirm(holder, permission, found);
    const refusal = refuse(found, permission);
    if (refusal && isOpen(work)) {
      close(work);
      work.end(refusal);
    } else if (typeof found !== 'string') work.scope = found;
  }

  /** A check that fails, because the database is away, is due again at the next tick. */
  const checkSafely = (work: OpenWork) => check(work).catch(repeatSoon);

  function repeatSoon(): void {
    isDue = true;
    beginTicks();
  }

  function checkSoon(): void {
    checking ??= checkAll().finally(() => {
      checking = undefined;
    });
  }

  async function checkAll(): Promise<void> {
    // All listeners of the signal have dropped their caches by then.
    await Promise.resolve();
    for (let seen = -1; seen !== changes; ) {
      seen = changes;
      isDue = false;
      const works = listOpen();
      for (let at = 0; at < works.length; at += CHECKS_AT_ONCE)
        await Promise.all(works.slice(at, at + CHECKS_AT_ONCE).map(checkSafely));
      for (const sweep of sweeps) await sweep().catch(repeatSoon);
    }
  }

  /** Only while there is something to look at. */
  function beginTicks(): void {
    if (!timer && isStarted) timer = outside(() => setInterval(tick, TICK_MS).unref());
  }

  function endTicks(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function tick(): void {
    if (!first && !isDue && !checking) return void endTicks();
    if (isDue) checkSoon();
    const at = now();
    for (const work of listOpen()) {
      if ((work.scope?.expires_at_ms ?? Infinity) <= at) void checkSafely(work);
      const { session_id: id, sign_in } = work.scope ?? {};
      if (id && sign_in?.provider) vouching.follow({ id, provider: sign_in.provider });
    }
  }

  function listOpen(): OpenWork[] {
    const works: OpenWork[] = [];
    for (let work = first; work; work = work.next) works.push(work);
    return works;
  }

  const isOpen = (work: OpenWork) => work.previous !== undefined || first === work;

  function open(work: OpenWork, seen: number): void {
    work.next = first;
    if (first) first.previous = work;
    first = work;
    if (!timer) beginTicks();
    // Access changed between the moment it was found and now.
    if (seen !== changes) void checkSafely(work);
  }

  function close(work: OpenWork): void {
    if (!isOpen(work)) return;
    if (work.next) work.next.previous = work.previous;
    if (work.previous) work.previous.next = work.next;
    else first = work.next;
    work.previous = undefined;
    work.next = undefined;
  }

  return {
    changes: () => changes,
    open,
    close,
    scopeOf(holder, permission) {
      const found = find(holder);
      if (!(found instanceof Promise) && !refuse(found, permission)) return found as Scope;
      // With what was found: a second read beside it would fail unheard where the database cannot be read.
      return confirm(holder, permission, found).then((confirmed) => {
        const refusal = refuse(confirmed, permission);
        if (refusal) throw refusal;
        return confirmed as Scope;
      });
    },
    refusalOf: async (holder, permission) => refuse(await confirm(holder, permission), permission),
    follow(holder, permission, end) {
      const work = { permission, holder, again: () => find(holder), end };
      open(work, -1);
      return () => close(work);
    },
    onChange: (sweep) => void sweeps.push(sweep),
    start() {
      isStarted = true;
      beginTicks();
    },
    async stop() {
      isStarted = false;
      endTicks();
      sweeps.length = 0;
      await checking;
    },
  };
}

const KEY_DELETED = 'its API key was deleted';
const SESSION_ENDED = 'its session has ended';

function refuse(found: Scope | string, permission: string): ApiError | undefined {
  if (typeof found === 'string') return requestErrors.access_lost(found);
  if (found.refusal !== undefined) return requestErrors.session_refused(found.refusal);
  return found.permissions.has(permission) ? undefined : requestErrors.permission_lost(permission);
}

function idOf({ key_id, user_id, workspace_id, session_id }: Holder): string {
  if (key_id !== null && session_id === undefined) return key_id;
  return `${user_id} ${workspace_id} ${session_id ?? ''}`;
}

async function readHolder({ db }: Database, id: string): Promise<Scope | string> {
  const [first = '', workspaceId, sessionId = ''] = id.split(' ');
  if (workspaceId !== undefined) return readUserScope(db, first, workspaceId, sessionId);
  const row = await findKeyWithOwner(db, 'id', first);
  return row ? readKeyScope(db, row) : KEY_DELETED;
}
