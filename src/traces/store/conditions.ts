import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../kit/db/index.ts';
import type { Condition } from '../schema/condition.ts';
import type { Field, Operator } from '../schema/fields.ts';
import { sumText } from './sums.ts';

type Kind = Database['kind'];
type Comparison = Extract<Condition, { field: Field }>;

const SIGNS: Partial<Record<Operator, string>> = { eq: '=', neq: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** A condition as SQL, over the columns of `spans` or of a query that has the same names. */
export function toSql(kind: Kind, condition: Condition): RawBuilder<boolean> {
  switch (condition.op) {
    case 'and':
    case 'or':
      return sql`(${sql.join(
        condition.items.map((item) => toSql(kind, item)),
        sql.raw(` ${condition.op} `),
      )})`;
    case 'not':
      return sql`not (${toSql(kind, condition.item)})`;
    default:
      return compare(kind, condition);
  }
}

function compare(kind: Kind, { op, field, key, values }: Comparison): RawBuilder<boolean> {
  const [first, second] = values;
  if ('feedback' in field.place && (op === 'eq' || op === 'in'))
    return sql`(workspace_id, start_us, span_id) in (select f.workspace_id, f.start_us, f.span_id
      from span_feedback as f where f.${sql.raw(field.place.feedback)} in (${sql.join(values)}))`;
  const value = toValue(kind, field, key);
  const sign = SIGNS[op];
  if (sign) return sql`${value} ${sql.raw(sign)} ${first}`;
  switch (op) {
    case 'like':
    case 'not_like':
      return negate(op, like(kind, value, String(first)));
    case 'ilike':
    case 'not_ilike':
      return negate(op, kind === 'postgres' ? sql`${value} ilike ${first}` : sql`${value} like ${first}`);
    case 'contains':
    case 'not_contains':
      return negate(op, kind === 'postgres' ? sql`strpos(${value}, ${first}) > 0` : sql`instr(${value}, ${first}) > 0`);
    case 'between':
    case 'not_between':
      return negate(op, sql`${value} between ${first} and ${second}`);
    case 'in':
    case 'not_in':
      return negate(op, sql`${value} in (${sql.join(values)})`);
    case 'exists':
    case 'not_exists':
      return negate(op, isSet(field, value));
    default:
      return hasElement(kind, field, String(first));
  }
}

function negate(op: Operator, condition: RawBuilder<boolean>): RawBuilder<boolean> {
  return op.startsWith('not_') ? sql`not (${condition})` : condition;
}

/** SQLite's LIKE ignores case, so the pattern becomes one of GLOB. */
function like(kind: Kind, value: RawBuilder<unknown>, pattern: string): RawBuilder<boolean> {
  if (kind === 'postgres') return sql`${value} like ${pattern}`;
  const glob = pattern.replace(/[*?[]/g, '[$&]').replaceAll('%', '*').replaceAll('_', '?');
  return sql`${value} glob ${glob}`;
}

function isSet({ type }: Field, value: RawBuilder<unknown>): RawBuilder<boolean> {
  return type === 'TEXT' || type === 'ENUM' ? sql`coalesce(${value}, '') <> ''` : sql`${value} is not null`;
}

// The elements are short words of models, such as "stop", so the text of the list tells.
function hasElement(kind: Kind, field: Field, element: string): RawBuilder<boolean> {
  const value = toValue(kind, field, null);
  const quoted = JSON.stringify(element);
  return kind === 'postgres' ? sql`strpos(${value}, ${quoted}) > 0` : sql`instr(${value}, ${quoted}) > 0`;
}

/** The value of a field as SQL; missing ones are null or empty. */
export function toValue(kind: Kind, { place, type }: Field, key: string | null): RawBuilder<unknown> {
  if ('column' in place) return sql.ref(place.column);
  if ('feedback' in place)
    return sql.raw(`(select max(f.${place.feedback}) from span_feedback as f
      where f.workspace_id = spans.workspace_id and f.span_id = spans.span_id)`);
  if ('sum' in place) return sql.raw(sumText(kind, place.sum));
  if ('time' in place) return place.time === 'start_time' ? sql.ref('start_us') : sql`(start_us + duration_ns / 1000)`;
  // One name for both databases: a JSON column of SQLite is text, where the operators mean the same.
  if (key !== null)
    return sql`(details -> ${sql.lit(place.detail)} ->> ${kind === 'postgres' ? sql`${key}::text` : key})`;
  const detail = sql`(details ->> ${sql.lit(place.detail)})`;
  if (type !== 'INT' && type !== 'FLOAT') return detail;
  return sql`cast(${detail} as ${sql.raw(kind === 'postgres' ? 'double precision' : 'real')})`;
}
