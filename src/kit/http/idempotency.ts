import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { storageProblemOf } from '../base/storage-failure.ts';
import { type Database, withPrelude } from '../db/index.ts';
import type { ValidationFailed } from './errors.ts';
import { type Claim, deleteClaims, findClaim, insertClaim, updateClaim } from './idempotency-store.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute, RequestContext } from './route.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY_CHARACTERS_MAX = 255;
/** A claim without a response after this time is considered lost; it is stored right after the work. */
const ANSWER_MS = 10_000;
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

  /** The row of the key with its response; undefined if there is none. */
  async function findAnswered({ principal, key, hash }: Claim) {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const row = await findClaim(db, principal, key);
      if (!row || row.created_ms < now() - KEPT_MS) return undefined;
      if (row.request_hash !== hash) throw reusedForAnotherRequest(key);
      if (row.status !== null) return { status: row.status, response: row.response };
      if (waitedMs >= ANSWER_MS || row.created_ms < now() - ANSWER_MS) {
        throw requestErrors.idempotency_key_in_use();
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async function replay(claim: Claim, reply: FastifyReply): Promise<unknown> {
    const row = await findAnswered(claim);
    if (!row) return undefined;
    reply.code(row.status).header('idempotency-replayed', 'true').type('application/json; charset=utf-8');
    return reply.send(row.response ?? undefined);
  }

  return {
    async run(call, work) {
      const claim = claimOf(call);
      const { reply, route } = call;
      const earlier = await replay(claim, reply);
      if (earlier !== undefined) return earlier;
      let claimed = false;
      let result: unknown;
      try {
        result = await withPrelude(async (tx) => {
          claimed = false;
          await insertClaim(tx, claim, now(), KEPT_MS);
          claimed = true;
        }, work);
      } catch (error) {
        // An error before the claim may be caused by the first request with this key: look for its response.
        const answer = claimed ? undefined : await replay(claim, reply);
        if (answer !== undefined) return answer;
        throw error;
      }
      const status = call.context.status ?? route.status ?? 200;
      const response = result === undefined ? null : JSON.stringify(result);
      const kept = route.remembers ? JSON.stringify(route.remembers(result as never)) : response;
      // The work is done, so this must not fail the request; a repeat then gets a 409.
      if (claimed) await updateClaim(db, claim, status, kept).catch(unlessStorage);
      // The caller lost its access meanwhile, and was told so.
      if (reply.sent) return reply;
      reply.code(status).type('application/json; charset=utf-8');
      return reply.send(response ?? undefined);
    },
    sweep: () => deleteClaims(db, now() - KEPT_MS),
  };
}

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
