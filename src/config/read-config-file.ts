import { readFileSync } from 'node:fs';
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { nearest } from './nearest.ts';
import { FileConfig } from './schema.ts';

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Reads and checks the file; every complaint names file, line and key, and the nearest known name for a typo. */
export function readConfigFile(file: string, environment: Record<string, string | undefined>): FileConfig {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) {
    const [summary] = broken.message.split('\n');
    throw new ConfigError(`${file}:${broken.linePos?.[0].line ?? 1}: ${summary?.replace(/ at line .*$/, '')}`);
  }
  const lineAt = (path: PropertyKey[]) => lineOf(document, lines, path);
  substitute(
    document,
    environment,
    (line, name) => {
      throw new ConfigError(
        `${file}:${line}: the environment variable ${name} is not set. Set it, or remove \${${name}}.`,
      );
    },
    lines,
  );
  const result = FileConfig.safeParse(document.toJS() ?? {});
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.flatMap((issue) => explain(issue, lineAt).map((text) => `${file}:${text}`)).join('\n'),
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

// Secrets stay out of the file: a value may name an environment variable.
function substitute(
  document: Document,
  environment: Record<string, string | undefined>,
  missing: (line: number, name: string) => never,
  lines: LineCounter,
): void {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value !== 'string') return;
      node.value = node.value.replace(
        VARIABLE,
        (_match, name: string) => environment[name] ?? missing(lines.linePos(node.range?.[0] ?? 0).line, name),
      );
    },
  });
}

function explain(issue: z.core.$ZodIssue, lineAt: (path: PropertyKey[]) => number): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const suggestion = nearest(key, knownKeys(issue.path));
      const name = [...issue.path, key].join('.');
      return `${lineAt([...issue.path, key])}: unknown key '${name}'.${suggestion ? ` Did you mean '${suggestion}'?` : ` Known here: ${knownKeys(issue.path).join(', ')}.`}`;
    });
  }
  return [`${lineAt(issue.path)}: '${issue.path.join('.') || 'the file'}': ${issue.message}.`];
}

function knownKeys(path: PropertyKey[]): string[] {
  let schema: z.core.$ZodType = FileConfig;
  for (const step of path) schema = inner(schema, step);
  return Object.keys(shapeOf(schema));
}

function inner(schema: z.core.$ZodType, step: PropertyKey): z.core.$ZodType {
  const { element } = unwrap(schema) as Partial<z.ZodArray>;
  return shapeOf(schema)[String(step)] ?? element ?? schema;
}

/** The keys of an object, or of all the alternatives that stand in its place. */
function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> {
  const { shape, options } = unwrap(schema) as { shape?: Record<string, z.core.$ZodType>; options?: z.core.$ZodType[] };
  return options ? Object.assign({}, ...options.map(shapeOf)) : (shape ?? {});
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType ? unwrap(innerType) : schema;
}

function lineOf(document: Document, lines: LineCounter, path: PropertyKey[]): number {
  // A missing key has no place of its own: the nearest enclosing one tells where to look.
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const pair = (parent as { items?: { key?: unknown }[] } | null)?.items?.find(
      (item) => isScalar(item.key) && item.key.value === path[length - 1],
    );
    if (pair && isScalar(pair.key)) return lines.linePos(pair.key.range?.[0] ?? 0).line;
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
