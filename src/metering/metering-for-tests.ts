import type { KyselyPlugin } from 'kysely';
import type { Registry } from 'prom-client';
import { createAuditService } from '../audit/index.ts';
import { uuid } from '../kit/base/ids.ts';
import { createLog } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import {
  type LimitDefaults,
  type LimitScope,
  type Limits,
  limitScopeId,
  type Payer,
  type Prices,
  type Usage,
} from './schema.ts';
import { createMetering, type Metering, type MeteringOptions } from './service/metering-service.ts';

export type TestClock = { now: () => number; advance(ms: number): void };

/** A clock that only a test advances. */
export function createTestClock(start = '2026-03-15T12:00:00Z'): TestClock {
  let nowMs = Date.parse(start);
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
  };
}

export function newPayer(): Payer {
  return { organization_id: uuid(), workspace_id: uuid(), key_id: uuid(), user_id: uuid() };
}

export function usageOf(scope: Payer, change: Partial<Usage> = {}): Usage {
  return {
    scope,
    model: 'small',
    kind: 'chat',
    promptTokens: 10,
    completionTokens: 5,
    cachedTokens: 2,
    costMicros: 3,
    status: 200,
    latencyMs: 12,
    requestId: uuid(),
    ...change,
  };
}

type Options = Pick<MeteringOptions, 'modelLimits' | 'ledgerSizes'> & {
  prices?: Prices;
  defaults?: LimitDefaults;
  registry?: Registry;
};

/** The metering of one process; several on one database act as several processes. */
export function openMetering(database: Database, clock: TestClock, options: Options = {}) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const audit = createAuditService({ database, now: clock.now });
  return { metering: createMetering({ database, now: clock.now, log, audit, ...options }), audit, lines };
}

export function limit(
  database: Database,
  metering: Metering,
  payer: Payer,
  kind: LimitScope['kind'],
  limits: Partial<Limits>,
) {
  return database.transaction((tx) => metering.setLimits(tx, { ...changeOf(payer, kind), limits }));
}

export function clear(database: Database, metering: Metering, payer: Payer, kind: LimitScope['kind']) {
  return database.transaction((tx) => metering.clearLimits(tx, changeOf(payer, kind)));
}

function changeOf(payer: Payer, kind: LimitScope['kind']) {
  const { organization_id } = payer;
  const actor = { type: 'OTHER', metadata: {} } as const;
  return { organization_id, scope: { kind, id: limitScopeId(payer, kind) }, actor };
}

/** The same database, with every query through `db` and every transaction counted. */
export function countQueries(database: Database) {
  let queries = 0;
  const counter: KyselyPlugin = {
    transformQuery({ node }) {
      queries++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const counted: Database = {
    ...database,
    db: database.db.withPlugin(counter),
    transaction(work) {
      queries++;
      return database.transaction(work);
    },
  };
  return { database: counted, queries: () => queries };
}
