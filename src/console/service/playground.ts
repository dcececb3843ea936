import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import type { Database } from '../../kit/db/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { Price } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import { consoleErrors } from '../errors.ts';
import type {
  ListedPlaygroundSession,
  NewPlaygroundSession,
  PlaygroundPrices,
  PlaygroundSession,
  PlaygroundSessionChange,
} from '../schema/playground.ts';
import {
  countSessions,
  deleteSession,
  findSession,
  insertSession,
  type ListedSession,
  listSessions,
  type SessionRow,
  updateSession,
} from '../store/playground.ts';

const KEPT_MAX = 500;
const LISTED_MAX = 200;

/** Sessions of the playground: one's own, and those that others of the workspace share, to read. */
export type PlaygroundSessions = {
  list(scope: Scope, search: string | undefined): Promise<{ sessions: ListedPlaygroundSession[] }>;
  create(scope: Scope, given: NewPlaygroundSession): Promise<PlaygroundSession>;
  get(scope: Scope, id: string): Promise<PlaygroundSession>;
  update(scope: Scope, id: string, change: PlaygroundSessionChange): Promise<ListedPlaygroundSession>;
  remove(scope: Scope, id: string): Promise<undefined>;
  /** What answers cost. */
  prices(scope: Scope): PlaygroundPrices;
};

export function createPlaygroundSessions(ports: {
  database: Database;
  models: Pick<ModelService, 'served'>;
  priceOf: (model: string) => Price | undefined;
  currency: string;
  now: Clock;
}): PlaygroundSessions {
  const { database, models, priceOf, currency, now } = ports;
  const { db } = database;

  async function find(scope: Scope, id: string): Promise<SessionRow> {
    const row = await findSession(db, scope, id);
    if (!row) throw consoleErrors.playground_session_not_found(id);
    return row;
  }

  return {
    async list(scope, search) {
      const rows = await listSessions(db, scope, { search, limit: LISTED_MAX });
      return { sessions: rows.map((row) => toListed(scope, row)) };
    },
    async create(scope, { name, content, branch_of = null }) {
      const at = isoMicros(now);
      // What is not there for the caller is no origin.
      const origin = branch_of === null ? undefined : await findSession(db, scope, branch_of);
      const row: SessionRow = {
        ...{ id: hexId('pg_'), workspace_id: scope.workspace_id, user_id: scope.user_id, name, content },
        ...{ is_shared: false, branch_of: origin?.id ?? null, created_at: at, updated_at: at },
      };
      await database.transaction(async (tx) => {
        if ((await countSessions(tx, scope)) >= KEPT_MAX) throw consoleErrors.playground_sessions_many(KEPT_MAX);
        await insertSession(tx, row);
      });
      return { ...toListed(scope, row), content };
    },
    async get(scope, id) {
      const row = await find(scope, id);
      return { ...toListed(scope, row), content: row.content };
    },
    async update(scope, id, { name, content, is_shared }) {
      const change = {
        updated_at: isoMicros(now),
        ...(name === undefined ? {} : { name }),
        ...(content === undefined ? {} : { content }),
        ...(is_shared === undefined ? {} : { is_shared }),
      };
      await database.transaction(async (tx) => {
        if (!(await updateSession(tx, scope, id, change))) throw consoleErrors.playground_session_not_found(id);
      });
      return toListed(scope, await find(scope, id));
    },
    async remove(scope, id) {
      await database.transaction(async (tx) => {
        if (!(await deleteSession(tx, scope, id))) throw consoleErrors.playground_session_not_found(id);
      });
      return undefined;
    },
    prices({ workspace_id }) {
      const prices = models.served(workspace_id).flatMap(({ id }) => {
        const { prompt, completion } = priceOf(id) ?? { prompt: 0, completion: 0 };
        return prompt + completion > 0 ? [[id, { prompt, completion }] as const] : [];
      });
      return { currency, prices: Object.fromEntries(prices) };
    },
  };
}

function toListed(
  scope: Scope,
  { id, name, user_id, is_shared, branch_of, created_at, updated_at }: ListedSession,
): ListedPlaygroundSession {
  const is_own = user_id === scope.user_id;
  return { id, name, user_id, is_own, is_shared, branch_of, created_at, updated_at };
}
