import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { storageProblemOf } from '../base/storage-failure.ts';
import { type Database, withPrelude } from '../db/index.ts';
import type { ValidationFailed } from './errors.ts';
import { beatClaims, type Claim, deleteClaims, findClaim, insertClaim, updateClaim } from './idempotency-store.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute, RequestContext } from './route.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY_CHARACTERS_MAX = 255;
/** How long a repeat waits for a request that runs. */
const ANSWER_MS = 10_000;
/**
 * Requests that run this long say so in their rows, again and again: other processes can tell them from lost ones. All of
 * a process do it together, so that many cost a few statements.
 */
const BEAT_MS = 200;
/** A claim that is silent for so long, and does not run in this process, has lost its response. */
const SILENT_MS = 600;
const LOOK_AGAIN_MS = 20;

type Call = {
  key: string | string[];
  route: AnyRoute;
  context: RequestContext & { status?: number | undefined };
  reply: FastifyReply;
};

/**
 * Same key, same response. The key is claimed inside the transaction that does the work, so a crash leaves both or neither;
 * the response is stored right after. A repeat gets it again, waits for it, gets a 409 if it was lost, or runs.
 */
export type Idempotency = {
  run(call: Call, work: () => Promise<unknown>): Promise<unknown>;
  /** Deletes keys older than a day; returns how many. */
  sweep(): Promise<number>;
};

export function createIdempotency(database: Database, now: Clock): Idempotency {
  const { db } = database;
  // The timer begins in the transaction of a request, and belongs to none.
  const outside = AsyncLocalStorage.snapshot();
  /** Claims of requests that run in this process, and since when. */
  const running = new Map<string, { claim: Claim; sinceMs: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isBeating = false;

  /** A beat that fails is not reported: the work itself meets the same disk. */
  async function beat(): Promise<void> {
    if (running.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    const before = performance.now() - BEAT_MS;
    const claims = [...running.values()].filter(({ sinceMs }) => sinceMs <= before).map(({ claim }) => claim);
    if (isBeating || claims.length === 0) return;
    isBeating = true;
    await beatClaims(db, claims, now()).catch(() => undefined);
    isBeating = false;
  }

  /** The row of the key with its response; undefined if there is none. */
  async function findAnswered({ principal, key, hash }: Claim) {
    const beganAt = performance.now();
    let beat = 0;
    let heardAt = beganAt;
    for (;;) {
      const row = await findClaim(db, principal, key);
      if (!row || row.created_ms < now() - KEPT_MS) return undefined;
      if (row.request_hash !== hash) throw reusedForAnotherRequest(key);
      if (row.status !== null) return { status: row.status, response: row.response };
      const at = performance.now();
      const runsHere = running.has(nameOf(principal, key));
      // Beats are compared with each other: the clocks of two servers may differ by a little.
      if (row.created_ms !== beat || runsHere) heardAt = at;
      beat = row.created_ms;
      const isLost = at - heardAt >= SILENT_MS || (row.created_ms < now() - ANSWER_MS && !runsHere);
      if (isLost || at - beganAt >= ANSWER_MS) throw requestErrors.idempotency_key_in_use();
      await sleep(LOOK_AGAIN_MS);
    }
  }

  function keepAlive(claim: Claim) {
    const name = nameOf(claim.principal, claim.key);
    let isRunning = false;
    return {
      begin() {
        isRunning = true;
        running.set(name, { claim, sinceMs: performance.now() });
        timer ??= outside(() => setInterval(() => void beat(), BEAT_MS).unref());
      },
      end() {
        if (isRunning) running.delete(name);
        isRunning = false;
      },
    };
  }

  async function replay(claim: Claim, reply: FastifyReply): Promise<unknown> {
    const row = await findAnswered(claim);
    if (!row) return undefined;
    reply.code(row.status).header('idempotency-replayed', 'true').type('application/json; charset=utf-8');
    return reply.send(row.response ?? undefined);
  }

  async function answer({ context, route, reply }: Call, claim: Claim, result: unknown, isClaimed: boolean) {
    const status = context.status ?? route.status ?? 200;
    const response = result === undefined ? null : JSON.stringify(result);
    const kept = route.remembers ? JSON.stringify(route.remembers(result as never)) : response;
    // The work is done, so this must not fail the request; a repeat then gets a 409.
    if (isClaimed) await updateClaim(db, claim, status, kept).catch(unlessStorage);
    // The caller lost its access meanwhile, and was told so.
    if (reply.sent) return reply;
    reply.code(status).type('application/json; charset=utf-8');
    return reply.send(response ?? undefined);
  }

  return {
    async run(call, work) {
      const claim = claimOf(call);
      const { reply } = call;
      const earlier = await replay(claim, reply);
      if (earlier !== undefined) return earlier;
      let isClaimed = false;
      const alive = keepAlive(claim);
      try {
        const result = await withPrelude(async (tx) => {
          isClaimed = false;
          await insertClaim(tx, claim, now(), KEPT_MS);
          isClaimed = true;
          alive.begin();
        }, work);
        return await answer(call, claim, result, isClaimed);
      } catch (error) {
        alive.end();
        // An error before the claim may be caused by the first request with this key: look for its response.
        const found = isClaimed ? undefined : await replay(claim, reply);
        if (found !== undefined) return found;
        throw error;
      } finally {
        alive.end();
      }
    },
    sweep: () => deleteClaims(db, now() - KEPT_MS),
  };
}

const nameOf = (principal: string, key: string): string => `${principal}\n${key}`;

function unlessStorage(error: unknown): void {
  if (storageProblemOf(error) === undefined) throw error;
}

export function checkKey(key: string | string[]): string {
  if (typeof key === 'string' && key.length > 0 && key.length <= KEY_CHARACTERS_MAX) return key;
  throw requestErrors.idempotency_key_invalid(KEY_CHARACTERS_MAX);
}

function claimOf({ key: given, route, context }: Call): Claim {
  const key = checkKey(given);
  const { filename, mimetype, content } = route.upload ? context.upload : {};
  const upload = content ? [filename, mimetype, content.sha256] : [];
  const request = JSON.stringify([route.method, route.path, context.params, context.query, context.body, ...upload]);
  return { principal: context.scope.principal, key, hash: createHash('sha256').update(request).digest('hex') };
}

export function reusedForAnotherRequest(key: string): ValidationFailed {
  return requestErrors.idempotency_key_reused(
    ['header', 'Idempotency-Key'],
    'This Idempotency-Key was used for another request. Send a new key.',
    key,
  );
}
