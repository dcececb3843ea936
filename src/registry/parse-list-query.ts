import { registryErrors } from './errors.ts';
import { showsField } from './pick-fields.ts';
import type { ListParameters, ListQuery, SortField } from './schema.ts';

const COLUMNS: Record<string, SortField> = {
  created_at: 'created_at',
  last_modified_at: 'updated_at',
  name: 'name',
  title: 'title',
};

/** Without sort parameters the newest comes first; names and titles sort from A to Z. */
export function parseListQuery(query: ListParameters): ListQuery {
  const { pageSize, pageToken, alias, fields } = query;
  const sortBy = oneOf('sort_by', query.sort_by, 'sort.field', query['sort.field']?.replace('list_sort_field_', ''));
  const direction = oneOf(
    'sort_direction',
    query.sort_direction,
    'sort.direction',
    query['sort.direction']?.replace('list_sort_direction_', ''),
  ) as ListQuery['direction'] | undefined;
  const field = COLUMNS[sortBy ?? 'created_at'] ?? 'created_at';
  const isText = field === 'name' || field === 'title';
  return {
    pageSize,
    pageToken,
    alias,
    field,
    direction: direction ?? (isText ? 'asc' : 'desc'),
    withDefinition: showsField(fields, 'definition'),
  };
}

/** The value of a parameter with two spellings. */
function oneOf(name: string, value: string | undefined, otherName: string, otherValue: string | undefined) {
  const other = otherValue === 'unspecified' ? undefined : otherValue;
  if (value !== undefined && other !== undefined && value !== other)
    throw registryErrors.sort_parameters_conflict(name, otherName);
  return value ?? other;
}
