import { badRequest } from '../http/index.ts';
import type { SortField } from './list-store.ts';
import type { ListParameters } from './schema.ts';

type Order = { field: SortField; direction: 'asc' | 'desc' };

const COLUMNS: Record<string, SortField> = {
  created_at: 'created_at',
  last_modified_at: 'updated_at',
  name: 'name',
  title: 'title',
};

/** The order of a list from its two spellings; newest first without any, and texts from A to Z. */
export function orderOf(query: ListParameters): Order {
  const field = one('sort_by', query.sort_by, query['sort.field']?.replace('list_sort_field_', ''));
  const direction = one(
    'sort_direction',
    query.sort_direction,
    query['sort.direction']?.replace('list_sort_direction_', ''),
  );
  const column = COLUMNS[field ?? 'created_at'] ?? 'created_at';
  const isText = column === 'name' || column === 'title';
  return { field: column, direction: (direction as Order['direction'] | undefined) ?? (isText ? 'asc' : 'desc') };
}

function one(name: string, short: string | undefined, long: string | undefined): string | undefined {
  const given = long === 'unspecified' ? undefined : long;
  if (short !== undefined && given !== undefined && short !== given) {
    throw badRequest(
      `${name} and ${name.replace('_by', '.field').replace('_direction', '.direction')} differ. Send one of them.`,
    );
  }
  return short ?? given;
}
