import { readFileSync } from 'node:fs';
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import type { z } from 'zod';
import { completeModels, findUnknownTargets } from './complete-models.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import { nearest } from './nearest.ts';
import { FileConfig } from './schema.ts';

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Parses and validates the file; every error names file, line and key, and for a typo the nearest known key. */
export function readConfigFile(file: string, environment: Environment): FileConfig {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) {
    const [summary] = broken.message.split('\n');
    throw new ConfigError(`${file}:${broken.linePos?.[0].line ?? 1}: ${summary?.replace(/ at line .*$/, '')}`);
  }
  const lineAt = (path: PropertyKey[]) => findLine(document, lines, path);
  substituteVariables(document, environment, (line) => `${file}:${line}`, lines);
  const content: unknown = document.toJS() ?? {};
  const result = FileConfig.safeParse(content);
  if (result.success) {
    const completed = completeModels(result.data, Object.hasOwn(content as object, 'models'));
    const unknown = findUnknownTargets(completed);
    if (unknown.length === 0) return completed;
    throw new ConfigError(unknown.map((one) => `${file}:${explainTarget(one, completed, lineAt)}`).join('\n'));
  }
  throw new ConfigError(
    result.error.issues.flatMap((issue) => explainIssue(issue, lineAt).map((text) => `${file}:${text}`)).join('\n'),
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

// A value may name an environment variable, so that the file holds no secrets.
function substituteVariables(
  document: Document,
  environment: Environment,
  locate: (line: number) => string,
  lines: LineCounter,
): void {
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value !== 'string') return;
      node.value = node.value.replace(VARIABLE, (_match, name: string) => {
        const value = environment[name];
        if (value !== undefined) return value;
        const location = locate(lines.linePos(node.range?.[0] ?? 0).line);
        throw new ConfigError(
          `${location}: the environment variable ${name} is not set. Set it, or remove \${${name}}.`,
        );
      });
    },
  });
}

function explainTarget(
  { name, target }: { name: string; target: string },
  { models }: FileConfig,
  lineAt: (path: PropertyKey[]) => number,
): string {
  const ids = models.map(({ id }) => id);
  const suggestion = nearest(target, ids);
  const advice = suggestion ? `Did you mean '${suggestion}'?` : `There are ${ids.join(', ')}.`;
  return `${lineAt(['sample_aliases', name])}: 'sample_aliases.${name}': no model has the id or alias '${target}'. ${advice}`;
}

function explainIssue(issue: z.core.$ZodIssue, lineAt: (path: PropertyKey[]) => number): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const suggestion = nearest(key, knownKeys(issue.path));
      const name = [...issue.path, key].join('.');
      return `${lineAt([...issue.path, key])}: unknown key '${name}'.${suggestion ? ` Did you mean '${suggestion}'?` : ` Known here: ${knownKeys(issue.path).join(', ')}.`}`;
    });
  }
  // Of the alternatives of a union, the one whose type was given knows what is wrong.
  const meant = issue.code === 'invalid_union' ? issue.errors.find((one) => !one.some(isOtherType)) : undefined;
  if (meant) return meant.flatMap((one) => explainIssue({ ...one, path: [...issue.path, ...one.path] }, lineAt));
  return [`${lineAt(issue.path)}: '${issue.path.join('.') || 'the file'}': ${issue.message}.`];
}

function isOtherType({ code, path }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' && path.length === 0;
}

function knownKeys(path: PropertyKey[]): string[] {
  let schema: z.core.$ZodType = FileConfig;
  for (const step of path) schema = schemaAt(schema, step);
  return Object.keys(shapeOf(schema));
}

function schemaAt(schema: z.core.$ZodType, step: PropertyKey): z.core.$ZodType {
  const { element } = unwrap(schema) as Partial<z.ZodArray>;
  return shapeOf(schema)[String(step)] ?? element ?? schema;
}

/** The keys of an object, or of all alternatives of a union. */
function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> {
  const { shape, options } = unwrap(schema) as { shape?: Record<string, z.core.$ZodType>; options?: z.core.$ZodType[] };
  return options ? Object.assign({}, ...options.map(shapeOf)) : (shape ?? {});
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType ? unwrap(innerType) : schema;
}

function findLine(document: Document, lines: LineCounter, path: PropertyKey[]): number {
  // A missing key has no line; its nearest existing parent has.
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
