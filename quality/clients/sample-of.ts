type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
};

/** Values that the programs look for, by the name of the property. */
const KNOWN: Record<string, unknown> = {
  name: 'Ada',
  city: 'Perpignan',
  place: 'Perpignan',
  urgent: true,
  order_id: 'A-17',
  command: 'echo tramontane',
};

/** The smallest value that a JSON Schema accepts, with every property that it names. */
export function sampleOf(given: unknown, root = given as Schema, name = ''): unknown {
  const schema = (given ?? {}) as Schema;
  if (schema.$ref) return sampleOf(resolve(schema.$ref, root), root, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (choice) return sampleOf(choice, root, name);
  if (name in KNOWN) return KNOWN[name];
  const type = [schema.type].flat()[0] ?? (schema.properties ? 'object' : 'string');
  if (type === 'object') {
    const entries = Object.entries(schema.properties ?? {});
    return Object.fromEntries(entries.map(([key, value]) => [key, sampleOf(value, root, key)]));
  }
  if (type === 'array') return [sampleOf(schema.items, root)];
  if (type === 'integer' || type === 'number') return 7;
  if (type === 'boolean') return true;
  return type === 'null' ? null : 'wind';
}

function resolve(ref: string, root: Schema): Schema | undefined {
  const key = ref.split('/').at(-1) ?? '';
  return root.$defs?.[key] ?? root.definitions?.[key];
}
