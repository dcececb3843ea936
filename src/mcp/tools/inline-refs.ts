type Json = unknown;

/** Replaces each reference by its definition: many clients show the schema to a model unchanged. */
export function inlineRefs({ $defs = {}, ...schema }: Record<string, Json>): Record<string, Json> {
  const definitions = $defs as Record<string, Record<string, Json>>;

  function inline(value: Json): Json {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Record<string, Json>;
    const own = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, inline(inner)]));
    if (typeof $ref !== 'string') return own;
    const { id: _, ...definition } = definitions[$ref.replace('#/$defs/', '')] ?? {};
    return { ...(inline(definition) as Record<string, Json>), ...own };
  }

  const { id: _, ...whole } = inline(schema) as Record<string, Json>;
  return whole;
}
