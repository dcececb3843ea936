import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type JsonSchema, prepareSchema } from './index.ts';

/** The published tests of JSON Schema (github.com/json-schema-org/JSON-Schema-Test-Suite), without remote schemas. */
type Group = [title: string, schema: JsonSchema | boolean, valid: unknown[], invalid: unknown[]];
const suite = JSON.parse(readFileSync(new URL('./suite-for-tests.json', import.meta.url), 'utf8')) as Record<
  string,
  Group[]
>;

const DIALECTS: Record<string, string> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '7': 'http://json-schema.org/draft-07/schema#',
};

/** What we read differently on purpose: an empty enum is refused, and keywords beside a $ref count in every draft. */
const EXCEPTIONS = [
  'enum: empty enum',
  'ref: ref overrides any sibling keywords',
  'ref: $ref prevents a sibling $id from changing the base uri',
];

function isRemote(schema: JsonSchema): boolean {
  return /"\$(?:ref|dynamicRef)":"(?:http:\/\/localhost:1234\/|[^#"]*\.json)/.test(JSON.stringify(schema));
}

describe.each(Object.entries(suite))('the published tests of draft %s', (draft, groups) => {
  const local = groups.flatMap(([title, schema, valid, invalid]) =>
    typeof schema === 'boolean' || EXCEPTIONS.includes(title) ? [] : [{ title, schema, valid, invalid }],
  );

  it('are passed', () => {
    const wrong: string[] = [];
    let passed = 0;
    for (const { title, schema, valid, invalid } of local) {
      const prepared = prepareSchema({ $schema: DIALECTS[draft], ...schema });
      if (typeof prepared === 'string') {
        if (!isRemote(schema)) wrong.push(`${title}: ${prepared}`);
        continue;
      }
      for (const [values, verdict] of [
        [valid, 'valid'],
        [invalid, 'invalid'],
      ] as const)
        for (const value of values)
          if (prepared.check(value) === verdict) passed += 1;
          else wrong.push(`${title}: ${JSON.stringify(value)} should be ${verdict}`);
    }
    expect(wrong).toEqual([]);
    expect(passed).toBeGreaterThan(800);
  });
});
