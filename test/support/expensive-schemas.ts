const levels = Array.from({ length: 30 }, (_, index) => index);

/** References that double at each level: a billion applications in 3 kB. */
export const doublingSchema = {
  type: 'object',
  allOf: [{ $ref: '#/$defs/d0' }],
  $defs: {
    ...Object.fromEntries(
      levels.map((level) => [`d${level}`, { allOf: [0, 1].map(() => ({ $ref: `#/$defs/d${level + 1}` })) }]),
    ),
    d30: {},
  },
};

/** Fine as a schema, but each level of a value is checked twice, and twice in vain. */
export const doublingByValue = {
  type: 'object',
  anyOf: [0, 1].map(() => ({ allOf: [{ properties: { a: { $ref: '#' } } }], required: ['z'] })),
};

export function nestedValue(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}
