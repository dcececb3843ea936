import type { CompiledQuery } from 'kysely';
import type { Database } from '../../kit/db/index.ts';
import { createFairQueue } from '../../kit/fair-queue/index.ts';
import type { RequestContext } from '../../kit/http/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import { traceErrors } from '../errors.ts';
import { ExpressionMistake, parseExpression } from '../expression.ts';
import type { Condition } from '../schema/condition.ts';
import type { Field } from '../schema/fields.ts';

/** Searches read in threads of their own: so many at once, and so many of one organization. */
const SEARCHES_MAX = 3;
const SEARCHES_PER_TENANT_MAX = 2;
const SEARCHES_WAITING_MAX = 64;

/** Whose search it is; it leaves the queue with its client. */
export type Caller = Pick<RequestContext, 'scope' | 'signal'>;
export type Search = <R>(caller: Caller, query: CompiledQuery<R>) => Promise<R[]>;

/** Off the event loop, in turns. */
export function createSearches(database: Database): Search {
  const turns = createFairQueue({
    concurrency: SEARCHES_MAX,
    perTenantMax: SEARCHES_PER_TENANT_MAX,
    waitingMax: SEARCHES_WAITING_MAX,
    refuse: ({ retryAfterSeconds }) => traceErrors.search_busy({ retryAfterSeconds }),
  });
  return ({ scope, signal }, query) => turns.run(tenantOf(scope), signal, () => database.readApart(query));
}

export function toCondition(expression: string, fields: readonly Field[]): Condition | undefined {
  try {
    return parseExpression(expression, fields);
  } catch (error) {
    if (!(error instanceof ExpressionMistake)) throw error;
    throw traceErrors.expression_not_valid(
      ['body', 'search_expression'],
      `In the search expression ${error.message}.`,
      expression,
    );
  }
}
