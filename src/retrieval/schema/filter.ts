/** Which chunks may be found, by the attributes of their documents and their own fields. */
export type Filter =
  | { type: 'and' | 'or'; matches: Filter[] }
  | { type: 'not'; match: Filter }
  | { type: 'equal'; field: string; value: FilterValue }
  | { type: 'in'; field: string; values: FilterValue[] }
  | { type: 'range'; field: string; gt?: Bound; gte?: Bound; lt?: Bound; lte?: Bound }
  /** Only chunks of these documents. */
  | { type: 'documents'; documentIds: string[] };

export type FilterValue = string | number | boolean;
type Bound = number | string | null | undefined;

export type AttributeValue = { field: string; text_value: string | null; number_value: number | null };

const TEXT_CHARACTERS_MAX = 512;
const FIELDS_MAX = 200;
const DEPTH_MAX = 4;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** The rows that filters are answered from: one for each plain value, `a.b` for nested ones. */
export function attributeValues(attributes: Record<string, unknown>): AttributeValue[] {
  const values: AttributeValue[] = [];
  const visit = (field: string, value: unknown, depth: number): void => {
    if (values.length >= FIELDS_MAX || value === null || value === undefined) return;
    if (Array.isArray(value)) for (const item of value) visit(field, item, depth);
    else if (typeof value === 'object') {
      if (depth >= DEPTH_MAX) return;
      for (const [name, inner] of Object.entries(value))
        visit(field === '' ? name : `${field}.${name}`, inner, depth + 1);
    } else values.push({ field, ...storedValue(value as FilterValue) });
  };
  visit('', attributes, 0);
  return values;
}

/** A date is also kept as its milliseconds, so that ranges of dates work whatever their form. */
export function storedValue(value: FilterValue): Omit<AttributeValue, 'field'> {
  if (typeof value === 'number') return { text_value: null, number_value: value };
  if (typeof value === 'boolean') return { text_value: String(value), number_value: null };
  return { text_value: value.slice(0, TEXT_CHARACTERS_MAX), number_value: dateOf(value) };
}

export function boundOf(bound: string | number): number {
  return typeof bound === 'number' ? bound : (dateOf(bound) ?? Number.NaN);
}

function dateOf(text: string): number | null {
  if (!DATE.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}
