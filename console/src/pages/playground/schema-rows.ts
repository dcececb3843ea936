/** A member of the answer, as the form shows it. */
export type SchemaRow = { name: string; type: RowType; description: string; isRequired: boolean };

export const ROW_TYPES = ['string', 'number', 'integer', 'boolean', 'string[]', 'number[]'] as const;
export type RowType = (typeof ROW_TYPES)[number];

type Property = { type?: unknown; description?: unknown; items?: { type?: unknown } };
type ObjectSchema = {
  type?: unknown;
  properties?: Record<string, Property>;
  required?: string[];
  additionalProperties?: unknown;
};

/** The rows of a flat object schema; undefined for anything that the form cannot show without losing some of it. */
export function toRows(text: string): SchemaRow[] | undefined {
  if (text.trim() === '') return [];
  let schema: ObjectSchema;
  try {
    schema = JSON.parse(text) as ObjectSchema;
  } catch {
    return undefined;
  }
  if (typeof schema !== 'object' || schema === null || schema.type !== 'object') return undefined;
  const { type: _type, properties = {}, required = [], additionalProperties: _more, ...rest } = schema;
  if (Object.keys(rest).length > 0) return undefined;
  const rows = Object.entries(properties).map(([name, { type, description = '', items, ...other }]) => {
    const shown = type === 'array' && items ? `${String(items.type)}[]` : String(type);
    const isPlain = Object.keys(other).length === 0 && Object.keys(items ?? {}).every((key) => key === 'type');
    if (!isPlain || !(ROW_TYPES as readonly string[]).includes(shown)) return undefined;
    return { name, type: shown as RowType, description: String(description), isRequired: required.includes(name) };
  });
  return rows.includes(undefined) ? undefined : (rows as SchemaRow[]);
}

export function toSchema(rows: readonly SchemaRow[]): string {
  const properties = Object.fromEntries(
    rows.map(({ name, type, description }) => [
      name,
      {
        ...(type.endsWith('[]') ? { type: 'array', items: { type: type.slice(0, -2) } } : { type }),
        ...(description === '' ? {} : { description }),
      },
    ]),
  );
  const required = rows.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return JSON.stringify({ type: 'object', properties, required, additionalProperties: false }, null, 2);
}
