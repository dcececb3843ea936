import { addStep, addUnevaluated, type JsonObject, type Node } from '../node.ts';
import { forget, noted, refuse, visit, visitChild } from '../visit.ts';
import { type Building, isCount, isNames, isObject, type Keyword } from './keyword.ts';

/** Up to this many, asking for each declared property is faster than going through those of the value. */
const FEW = 16;

function count(keyword: string, word: string, isWithin: (count: number, bound: number) => boolean): Keyword {
  return {
    accepts: isCount,
    build({ node }, bound: number) {
      addStep(node, 'objects', (run, value) => {
        const { length } = Object.keys(value);
        run.budget.spend(length >> 2);
        return (
          isWithin(length, bound) ||
          refuse(run, keyword, () => `must NOT have ${word} than ${bound} properties`, { limit: bound })
        );
      });
    },
  };
}

function refuseMissing(run: Parameters<typeof refuse>[0], missingProperty: string): false {
  return refuse(run, 'required', () => `must have required property '${missingProperty}'`, { missingProperty });
}

function addDependentNames({ node }: Building, property: string, names: string[]): void {
  addStep(node, 'objects', (run, value) => {
    if (!Object.hasOwn(value, property)) return true;
    run.budget.spend(names.length);
    const missing = names.find((name) => !Object.hasOwn(value, name));
    if (missing === undefined) return true;
    const message = () => `must have property ${missing} when property ${property} is present`;
    return refuse(run, 'dependentRequired', message, { property, missingProperty: missing });
  });
}

function addDependentSchema({ node, inPlace }: Building, property: string, schema: unknown): void {
  const inner = inPlace(schema);
  addStep(node, 'objects', (run, value, seen) => !Object.hasOwn(value, property) || visit(run, inner, value, seen));
}

/** Values of an object whose names no keyword beside this one covers. */
function addAdditional({ node, child, pattern, beside }: Building, schema: unknown): void {
  const inner = child(schema);
  const declared = new Set(isObject(beside.properties) ? Object.keys(beside.properties) : []);
  const patterns = isObject(beside.patternProperties) ? Object.keys(beside.patternProperties).map(pattern) : [];
  addStep(node, 'objects', (run, value, seen) => {
    for (const key of keysOf(run, value)) {
      if (declared.has(key) || patterns.some((known) => known.test(key, run.budget))) continue;
      if (inner.raw === false) {
        const params = { additionalProperty: key };
        return refuse(run, 'additionalProperties', 'must NOT have additional properties', params);
      }
      if (!visitChild(run, inner, value[key], key)) return false;
    }
    if (seen) seen.hasAllNames = true;
    return true;
  });
}

function addProperties({ node, child }: Building, schemas: JsonObject): void {
  const declared = new Map(Object.entries(schemas).map(([key, schema]) => [key, child(schema)]));
  addStep(node, 'objects', (run, value, seen) => {
    if (declared.size > FEW) {
      for (const key of keysOf(run, value)) {
        const inner = declared.get(key);
        if (!inner) continue;
        seen?.names.add(key);
        if (!visitChild(run, inner, value[key], key)) return false;
      }
      return true;
    }
    run.budget.spend(declared.size);
    for (const [key, inner] of declared) {
      if (!Object.hasOwn(value, key)) continue;
      seen?.names.add(key);
      if (!visitChild(run, inner, value[key], key)) return false;
    }
    return true;
  });
}

function addPatternProperties({ node, child, pattern }: Building, schemas: JsonObject): void {
  const patterns = Object.entries(schemas).map(([source, schema]) => [pattern(source), child(schema)] as const);
  addStep(node, 'objects', (run, value, seen) => {
    for (const key of keysOf(run, value))
      for (const [known, inner] of patterns) {
        if (!known.test(key, run.budget)) continue;
        seen?.names.add(key);
        if (!visitChild(run, inner, value[key], key)) return false;
      }
    return true;
  });
}

function keysOf(run: Parameters<typeof refuse>[0], value: JsonObject): string[] {
  const keys = Object.keys(value);
  run.budget.spend(keys.length);
  return keys;
}

export const objectKeywords: Record<string, Keyword> = {
  maxProperties: count('maxProperties', 'more', (keys, bound) => keys <= bound),
  minProperties: count('minProperties', 'fewer', (keys, bound) => keys >= bound),
  required: {
    accepts: isNames,
    build({ node }, names: string[]) {
      addStep(node, 'objects', (run, value) => {
        run.budget.spend(names.length);
        const missing = names.find((name) => !Object.hasOwn(value, name));
        return missing === undefined || refuseMissing(run, missing);
      });
    },
  },
  dependencies: {
    holds: 'map of schemas or names',
    build(at, entries: JsonObject) {
      for (const [property, entry] of Object.entries(entries))
        if (Array.isArray(entry)) addDependentNames(at, property, entry);
        else addDependentSchema(at, property, entry);
    },
  },
  propertyNames: {
    holds: 'schema',
    build({ node, child }, schema: unknown) {
      const inner = child(schema);
      addStep(node, 'objects', (run, value) => {
        const since = noted(run);
        for (const key of keysOf(run, value)) {
          if (visit(run, inner, key, undefined)) continue;
          forget(run, since);
          return refuse(run, 'propertyNames', 'property name must be valid', { propertyName: key });
        }
        return true;
      });
    },
  },
  properties: { holds: 'map', build: addProperties },
  patternProperties: { holds: 'map', build: addPatternProperties },
  additionalProperties: { holds: 'schema', build: addAdditional },
};

export const newerObjectKeywords: Record<string, Keyword> = {
  dependentRequired: {
    accepts: (value) => isObject(value) && Object.values(value).every(isNames),
    build(at, entries: Record<string, string[]>) {
      for (const [property, names] of Object.entries(entries)) addDependentNames(at, property, names);
    },
  },
  dependentSchemas: {
    holds: 'map',
    build(at, entries: JsonObject) {
      for (const [property, schema] of Object.entries(entries)) addDependentSchema(at, property, schema);
    },
  },
  unevaluatedProperties: {
    holds: 'schema',
    build({ node, child }, schema: unknown) {
      const inner: Node = child(schema);
      addUnevaluated(node, (run, value, seen) => {
        if (!isObject(value) || !seen || seen.hasAllNames) return true;
        for (const key of keysOf(run, value)) {
          if (seen.names.has(key)) continue;
          if (inner.raw === false) {
            const params = { unevaluatedProperty: key };
            return refuse(run, 'unevaluatedProperties', 'must NOT have unevaluated properties', params);
          }
          if (!visitChild(run, inner, value[key], key)) return false;
        }
        seen.hasAllNames = true;
        return true;
      });
    },
  },
};
