import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../kit/db/index.ts';
import { type Evaluator, type Goal, isRate, labelsOf, rateOf } from '../schema/evaluators.ts';
import type {
  ContentSearchFilter,
  GoalStatusFilter,
  KeyedFilter,
  RecordFilter,
  RunFilter,
  ScoreFilter,
  SystemNameFilter,
} from '../schema/filters.ts';

type Kind = Database['kind'];
type Sql = RawBuilder<boolean>;
type Group<F> = { combinator: 'and' | 'or'; filters: F[] } | null | undefined;

const SIGNS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const never = sql<boolean>`1 = 0`;

function join<F>(group: Group<F>, toSql: (filter: F) => Sql): Sql | undefined {
  if (!group || group.filters.length === 0) return undefined;
  return sql`(${sql.join(group.filters.map(toSql), sql.raw(` ${group.combinator} `))})`;
}

function all(conditions: (Sql | undefined)[]): Sql | undefined {
  const given = conditions.filter((one) => one !== undefined);
  return given.length === 0 ? undefined : sql`(${sql.join(given, sql` and `)})`;
}

const place = (kind: Kind, text: RawBuilder<unknown>, part: unknown) =>
  kind === 'postgres' ? sql`strpos(lower(${text}), lower(${part}))` : sql`instr(lower(${text}), lower(${part}))`;

/** A number of scores, over the rows that `owner` selects. Standard deviation: of the whole, not of a sample. */
export function metricOf(metric: string, owner: Sql, evaluator: string): RawBuilder<number> {
  const functions: Record<string, string> = {
    avg: 'avg(s.value)',
    min: 'min(s.value)',
    max: 'max(s.value)',
    count: 'count(*)',
    std: 'avg(s.value * s.value) - avg(s.value) * avg(s.value)',
  };
  const value = functions[metric] ?? 'avg(s.value)';
  return sql`(select ${sql.raw(value)} from evaluation_scores as s where ${owner} and s.evaluator = ${evaluator})`;
}

function scoreSql({ evaluator_name, metric, operator, value }: ScoreFilter, owner: Sql): Sql {
  if (typeof value === 'string')
    return operator === 'eq'
      ? sql`exists (select 1 from evaluation_scores as s where ${owner} and s.evaluator = ${evaluator_name} and s.label = ${value})`
      : never;
  // Deviations are compared as variances: not every SQLite has a square root.
  const compared = metric === 'std' ? value * Math.abs(value) : value;
  const found = metricOf(metric, owner, evaluator_name);
  if (metric === 'std' && operator === 'eq') return sql`abs(${found} - ${compared}) < 1e-9`;
  return sql`${found} ${sql.raw(SIGNS[operator])} ${compared}`;
}

const ofRun = sql<boolean>`s.run_id = evaluation_runs.id`;
const ofRecord = sql<boolean>`s.run_id = evaluation_records.run_id and s.record_id = evaluation_records.id`;

export function toRunCondition(kind: Kind, filter: RunFilter | null | undefined): Sql | undefined {
  if (!filter) return undefined;
  const { ownership, tags } = filter;
  const owned = ownership && [
    ownership.creator_ids.length > 0 ? within('creator_id', ownership.creator_ids) : undefined,
    ownership.project_ids.length > 0 ? ofProjects(ownership.project_ids) : undefined,
    ownership.starred_by_me ? never : undefined,
  ];
  return all([
    filter.run_ids ? within('id', filter.run_ids) : undefined,
    filter.evaluation_ids ? within('evaluation_id', filter.evaluation_ids) : undefined,
    filter.creator_ids ? within('creator_id', filter.creator_ids) : undefined,
    filter.project_ids ? ofProjects(filter.project_ids) : undefined,
    owned
      ? join({ combinator: ownership.combinator, filters: owned.filter((one) => one !== undefined) }, (one) => one)
      : undefined,
    tags ? join({ combinator: tags.combinator, filters: tags.values }, (tag) => hasTag(kind, tag)) : undefined,
    join(filter.score_filters, (one) => scoreSql(one, ofRun)),
    join(filter.goal_filters, (one) => runGoal(kind, one)),
    join(filter.system?.name, (one) => systemName(kind, one)),
    join(filter.system?.params, (one) => keyed(kind, sql`(system -> 'params')`, one)),
    join(filter.metadata, (one) => keyed(kind, sql.ref('metadata'), one)),
  ]);
}

const within = (column: string, values: readonly string[]): Sql =>
  values.length === 0 ? never : sql`${sql.ref(`evaluation_runs.${column}`)} in (${sql.join(values)})`;
const ofProjects = (ids: readonly string[]): Sql =>
  ids.length === 0
    ? never
    : sql`exists (select 1 from evaluations as e where e.id = evaluation_runs.evaluation_id and e.project_id in (${sql.join(ids)}))`;

/** The list as text holds the tag between quotes. */
function hasTag(kind: Kind, tag: string): Sql {
  const quoted = JSON.stringify(tag);
  return kind === 'postgres' ? sql`strpos(tags::text, ${quoted}) > 0` : sql`instr(tags, ${quoted}) > 0`;
}

function systemName(kind: Kind, { value, operator }: SystemNameFilter): Sql {
  const name = sql`(system ->> 'name')`;
  return operator === 'equals' ? sql`${name} = ${value}` : sql`${place(kind, name, value)} > 0`;
}

function keyed(kind: Kind, json: RawBuilder<unknown>, { key, operator, value }: KeyedFilter): Sql {
  const found = kind === 'postgres' ? sql`(${json} ->> ${key}::text)` : sql`(${json} ->> ${key})`;
  if (operator === 'contains') return sql`${place(kind, sql`cast(${found} as text)`, String(value))} > 0`;
  const sign = sql.raw(SIGNS[operator]);
  if (typeof value === 'number') {
    if (kind === 'sqlite') return sql`(typeof(${found}) in ('integer', 'real') and ${found} ${sign} ${value})`;
    const type = sql`json_typeof(${json} -> ${key}::text)`;
    return sql`(case when ${type} = 'number' then cast(${found} as double precision) ${sign} ${value} else false end)`;
  }
  // SQLite reads true as 1.
  const text = typeof value === 'boolean' && kind === 'sqlite' ? String(Number(value)) : String(value);
  return sql`cast(${found} as text) ${sign} ${text}`;
}

function runGoal(kind: Kind, { values, evaluator_name }: GoalStatusFilter): Sql {
  if (!evaluator_name) return statusSql(sql`passed`, values);
  const key = kind === 'postgres' ? sql`${evaluator_name}::text` : sql`${evaluator_name}`;
  const passed = sql`(goal_results -> ${key} ->> 'passed')`;
  return statusSql(kind === 'postgres' ? sql`cast(${passed} as boolean)` : passed, values);
}

function statusSql(passed: RawBuilder<unknown>, values: readonly GoalStatusFilter['values'][number][]): Sql {
  const conditions = values.map((value) => {
    if (value === 'not_evaluated') return sql`${passed} is null`;
    return value === 'passed' ? sql`${passed}` : sql`not ${passed}`;
  });
  return conditions.length === 0 ? never : sql`(${sql.join(conditions, sql` or `)})`;
}

export function toRecordCondition(
  kind: Kind,
  filter: RecordFilter | null | undefined,
  evaluators: readonly Evaluator[],
): Sql | undefined {
  if (!filter) return undefined;
  return all([
    join(filter.input_filters, (one) => content(kind, sql.ref('input'), one)),
    join(
      filter.output_filters,
      (one) =>
        sql`exists (select 1 from evaluation_generations as g where g.record_id = evaluation_records.id and ${content(kind, sql`g.output`, one)})`,
    ),
    join(filter.score_filters, (one) => scoreSql(one, ofRecord)),
    join(filter.goal_filters, (one) => recordGoal(one, evaluators)),
  ]);
}

function content(kind: Kind, json: RawBuilder<unknown>, { value, path, operator }: ContentSearchFilter): Sql {
  const parts = path ? path.split('.') : [];
  const found = path ? valueAt(kind, json, parts) : json;
  return operator === 'equals' ? sql`${found} = ${value}` : sql`${place(kind, found, value)} > 0`;
}

function valueAt(kind: Kind, json: RawBuilder<unknown>, parts: string[]): RawBuilder<unknown> {
  if (kind === 'postgres') return sql`(cast(${json} as json) #>> array[${sql.join(parts)}]::text[])`;
  const steps = parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${JSON.stringify(part)}`));
  return sql`cast(json_extract(${json}, ${`$${steps.join('')}`}) as text)`;
}

/** Goals are the run's own, so that whether a record reached them is a condition on its scores. */
function recordGoal({ values, evaluator_name }: GoalStatusFilter, evaluators: readonly Evaluator[]): Sql {
  const asked = evaluators.filter(({ name, goal }) => goal && (!evaluator_name || name === evaluator_name));
  if (asked.length === 0) return values.includes('not_evaluated') ? sql`1 = 1` : never;
  const reached = asked.map(({ name, goal }) => goalSql(name, goal as Goal));
  return statusSql(sql`(${sql.join(reached, sql` and `)})`, values);
}

const goalSql = (evaluator: string, goal: Goal): Sql => {
  const actual = isRate(goal)
    ? sql`(select avg(case when s.label in (${sql.join([...labelsOf(goal), ''])}) then 1.0 else 0.0 end) from evaluation_scores as s
        where ${ofRecord} and s.evaluator = ${evaluator} and s.label is not null)`
    : metricOf(goal.metric ?? 'avg', ofRecord, evaluator);
  if (goal.operator === 'between') return sql`(${actual} between ${goal.min ?? 0} and ${goal.max ?? 1})`;
  if (isRate(goal)) return sql`(${actual} >= ${rateOf(goal)})`;
  const target = Number(goal.value ?? 0);
  const compared = goal.metric === 'std' ? target * Math.abs(target) : target;
  return sql`(${actual} ${sql.raw(SIGNS[goal.operator as keyof typeof SIGNS])} ${compared})`;
};
