import type { Db } from '../../kit/db/index.ts';
import { firstIdOf } from '../schema/chunk.ts';
import { boundOf, type Filter, type FilterValue, storedValue } from '../schema/filter.ts';

type Span = { owner: number; span: number };
export type FilterScope = { no: number; span: number };

/** For each number of a chunk of the collection whether the filter lets it through. */
export async function findAllowed(db: Db, collection: FilterScope, filter: Filter): Promise<Uint8Array> {
  switch (filter.type) {
    case 'and':
    case 'or': {
      const isAnd = filter.type === 'and';
      const all = new Uint8Array(collection.span).fill(isAnd ? 1 : 0);
      for (const match of filter.matches) {
        const each = await findAllowed(db, collection, match);
        for (let i = 0; i < all.length; i++)
          all[i] = isAnd ? (all[i] as number) & (each[i] as number) : (all[i] as number) | (each[i] as number);
      }
      return all;
    }
    case 'not':
      return (await findAllowed(db, collection, filter.match)).map((allowed) => 1 - allowed);
    case 'equal':
      return fill(collection, await listEqual(db, collection, filter.field, [filter.value]));
    case 'in':
      return fill(collection, await listEqual(db, collection, filter.field, filter.values));
    case 'range':
      return fill(collection, await listInRange(db, collection, filter));
    case 'documents':
      return fill(collection, await listOfDocuments(db, collection, filter.documentIds));
  }
}

function fill({ no, span }: FilterScope, spans: Span[]): Uint8Array {
  const allowed = new Uint8Array(span);
  const first = firstIdOf(no);
  for (const { owner, span: count } of spans) allowed.fill(1, owner - first, owner - first + count);
  return allowed;
}

async function listEqual(db: Db, { no }: FilterScope, field: string, values: FilterValue[]): Promise<Span[]> {
  const texts: string[] = [];
  const numbers: number[] = [];
  for (const value of values) {
    const { text_value, number_value } = storedValue(value);
    // A date is equal to another form of the same moment.
    if (number_value !== null) numbers.push(number_value);
    else if (text_value !== null) texts.push(text_value);
  }
  const rows = db
    .selectFrom('search_attributes')
    .select(['owner', 'span'])
    .where('collection_no', '=', no)
    .where('field', '=', field);
  return [
    ...(texts.length > 0 ? await rows.where('text_value', 'in', texts).execute() : []),
    ...(numbers.length > 0 ? await rows.where('number_value', 'in', numbers).execute() : []),
  ];
}

function listInRange(db: Db, { no }: FilterScope, filter: Extract<Filter, { type: 'range' }>): Promise<Span[]> {
  let rows = db
    .selectFrom('search_attributes')
    .select(['owner', 'span'])
    .where('collection_no', '=', no)
    .where('field', '=', filter.field);
  for (const [name, operator] of [
    ['gt', '>'],
    ['gte', '>='],
    ['lt', '<'],
    ['lte', '<='],
  ] as const) {
    const bound = filter[name];
    if (bound !== undefined && bound !== null) rows = rows.where('number_value', operator, boundOf(bound));
  }
  return rows.execute();
}

async function listOfDocuments(db: Db, { no }: FilterScope, documentIds: string[]): Promise<Span[]> {
  if (documentIds.length === 0) return [];
  const rows = await db
    .selectFrom('search_documents')
    .select(['id', 'reserved'])
    .where('collection_no', '=', no)
    .where('document_id', 'in', documentIds)
    .where('is_live', '=', true)
    .execute();
  return rows.map(({ id, reserved }) => ({ owner: id, span: reserved }));
}
