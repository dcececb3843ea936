import { parseAst } from 'vitest/node';

const citation = /\[([A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)\]/g;
const testNames = new Set(['it', 'test']);
const suiteNames = new Set(['describe', 'suite']);
/** A test that does not run, or is expected to fail, proves nothing. */
const idleModifiers = new Set(['skip', 'todo', 'fails']);
/** Tests and suites of it, or on its condition, do not run in `npm test`. */
const OF_THE_FULL_RUN = 'inFull';
const IN_THE_FULL_RUN = 'isFull';

interface Node {
  type: string;
  [field: string]: unknown;
}

/**
 * The ids that the titles of a file's running tests cite. Comments, strings, skipped tests and those that only the full
 * run runs do not cite.
 */
export function findCitations(text: string): string[] {
  const ids: string[] = [];
  visit(parseAst(text, { lang: 'ts' }), (node) => {
    const call = readTestCall(node);
    if (call?.idle) return 'leave';
    if (call && testNames.has(call.name)) {
      for (const [, id] of call.title.matchAll(citation)) if (id !== undefined) ids.push(id);
    }
    return 'enter';
  });
  return ids;
}

function visit(value: unknown, enter: (node: Node) => 'enter' | 'leave'): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, enter);
  } else if (isNode(value) && enter(value) === 'enter') {
    for (const field of Object.values(value)) visit(field, enter);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Reads `it('…')`, `it.only('…')`, `it.each(rows)('…')`, `it.each` with a template, and the same of a suite. */
function readTestCall(node: Node): { name: string; title: string; idle: boolean } | undefined {
  if (node.type !== 'CallExpression' || !Array.isArray(node.arguments)) return undefined;
  const modifiers: unknown[] = [];
  let callee = node.callee;
  while (isNode(callee) && callee.type !== 'Identifier') {
    if (isNode(callee.property)) modifiers.push(callee.property.name);
    if (namesFullRun(callee.arguments)) modifiers.push('skip');
    callee = callee.object ?? callee.callee ?? callee.tag;
  }
  const name = isNode(callee) ? String(callee.name) : '';
  if (name === OF_THE_FULL_RUN) return { name, title: '', idle: true };
  if (!testNames.has(name) && !suiteNames.has(name)) return undefined;
  const idle = modifiers.some((modifier) => idleModifiers.has(String(modifier)));
  return { name, title: readText(node.arguments[0]), idle };
}

function namesFullRun(node: unknown): boolean {
  let isFound = false;
  visit(node, ({ type, name }) => {
    isFound ||= type === 'Identifier' && name === IN_THE_FULL_RUN;
    return 'enter';
  });
  return isFound;
}

function readText(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Literal') return String(node.value);
  if (node.type === 'BinaryExpression') return readText(node.left) + readText(node.right);
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return '';
  return node.quasis.map((quasi: { value: { raw: string } }) => quasi.value.raw).join('');
}
