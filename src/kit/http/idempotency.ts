import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { storageProblemOf } from '../base/storage-failure.ts';
import { type Database, type Db, isUniqueViolation, type Tx, withPrelude } from '../db/index.ts';
import type { ValidationFailed } from './errors.ts';
import { requestErrors } from './request-errors.ts';
import type { AnyRoute, RequestContext } from './route.ts';

declare module '../db/tables.ts' {
  interface Tables {
    idempotency_keys: {
      principal: string;
      key: string;
      request_hash: string;
      status: number | null;
      response: string | null;
      created_ms: number;
    };
  }
}

const KEPT_MS = 24 * 60 * 60 * 1000;
const KEY_CHARACTERS_MAX = 255;
/** How long a claim may be without its answer, which is stored right after it: then it was lost. */
const ANSWER_MS = 10_000;
const LOOK_AGAIN_MS = 20;

type Call = { key: string | string[]; route: AnyRoute; context: RequestContext; reply: FastifyReply };

/**
 * Same key, same answer. The key is claimed inside the transaction that does the work, so a crash leaves
 * either both or neither; the answer is stored right after. A repeat finds the answer and gets it again, finds
 * a claim whose answer is about to come and waits for it, finds one whose answer was lost and is told so, or finds
 * nothing and runs.
 */
export type Idempotency = {
  run(call: Call, work: () => Promise<unknown>): Promise<unknown>;
  /** Forgets what is older than a day; returns how many were dropped. */
  sweep(): Promise<number>;
};

class AlreadyClaimed extends Error {}

export function createIdempotency(database: Database, now: Clock): Idempotency {
  const { db } = database;

  /** The row of the key, with its answer unless that was lost. */
  async function findAnswered({ principal, key, hash }: Claim) {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const row = await find(db, principal, key);
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
          await insertClaim(tx, claim, now());
          claimed = true;
        }, work);
      } catch (error) {
        // Whatever it stumbled over before it could claim the key may be what the one that was quicker has made.
        const answer = claimed ? undefined : await replay(claim, reply);
        if (answer !== undefined) return answer;
        throw error;
      }
      const status = route.status ?? 200;
      const response = result === undefined ? null : JSON.stringify(result);
      const kept = route.remembers ? JSON.stringify(route.remembers(result as never)) : response;
      // The work is done, and saying otherwise would have it done again; a repeat hears that the answer was lost.
      if (claimed) await storeAnswer(db, claim, status, kept).catch(unlessStorage);
      reply.code(status).type('application/json; charset=utf-8');
      return reply.send(response ?? undefined);
    },
    async sweep() {
      const result = await db
        .deleteFrom('idempotency_keys')
        .where('created_ms', '<', now() - KEPT_MS)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

function unlessStorage(error: unknown): void {
  if (storageProblemOf(error) === undefined) throw error;
}

type Claim = { principal: string; key: string; hash: string };

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

function find(db: Db, principal: string, key: string) {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('principal', '=', principal)
    .where('key', '=', key)
    .executeTakeFirst();
}

async function insertClaim(tx: Tx, { principal, key, hash }: Claim, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('principal', '=', principal)
    .where('key', '=', key)
    .where('created_ms', '<', nowMs - KEPT_MS)
    .execute();
  try {
    await tx
      .insertInto('idempotency_keys')
      .values({ principal, key, request_hash: hash, status: null, response: null, created_ms: nowMs })
      .execute();
  } catch (error) {
    if (isUniqueViolation(error)) throw new AlreadyClaimed();
    throw error;
  }
}

async function storeAnswer(db: Db, { principal, key }: Claim, status: number, response: string | null): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ status, response })
    .where('principal', '=', principal)
    .where('key', '=', key)
    .execute();
}

export function reusedForAnotherRequest(key: string): ValidationFailed {
  return requestErrors.idempotency_key_reused(
    ['header', 'Idempotency-Key'],
    'This Idempotency-Key was used for another request. Send a new key.',
    key,
  );
}
