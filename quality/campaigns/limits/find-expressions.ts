import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { documentedRoutes, openApiOf } from '../../../src/app.ts';

export type Expression = { source: string; flags: string; where: string };

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Every regular expression in the server's source, and every pattern of the OpenAPI document. */
export function findExpressions(): { expressions: Expression[]; built: string[] } {
  const expressions: Expression[] = patternsOf(openApiOf(documentedRoutes()));
  const built: string[] = [];
  for (const file of globSync('src/**/*.ts', { cwd: root }).sort()) {
    if (/(\.test|for-tests|test-support)\.ts$|^src\/cli\//.test(file)) continue;
    const text = readFileSync(`${root}/${file}`, 'utf8');
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
    const lineOf = (start: number) => `${relative(root, `${root}/${file}`)}:${text.slice(0, start).split('\n').length}`;
    visit(program, (node) => {
      if (node.type === 'Literal' && node.regex)
        expressions.push({ source: node.regex.pattern, flags: node.regex.flags, where: lineOf(node.start) });
      if (node.callee?.name === 'RegExp') built.push(lineOf(node.start));
    });
  }
  return { expressions, built };
}

type Node = { type: string; start: number; regex?: { pattern: string; flags: string }; callee?: { name?: string } };

function visit(value: unknown, see: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) see(value as Node);
  for (const child of Object.values(value)) visit(child, see);
}

function patternsOf(document: unknown): Expression[] {
  const found = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') found.add(value);
    return value;
  });
  return [...found].map((source) => ({ source, flags: 'u', where: 'openapi.json' }));
}
