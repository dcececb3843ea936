import { createRequire } from 'node:module';

type Node = { type: string; start: number; end: number; [key: string]: unknown };
type Parser = { parse(code: string, options: object): Node };

/** Replaces the body of a step in the isolate; an activity runs it. */
const STUB = '() => { throw new Error("The body of a step does not run in workflow code.") }';

/** A webpack loader that removes the bodies of steps and the imports that only they use (drivers, files, sockets). */
export default function stripSteps(this: unknown, code: string): string {
  if (!code.includes('defineStep')) return code;
  const tree = acorn((this as { resourcePath?: string } | undefined)?.resourcePath).parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
  });
  const bodies: Node[] = [];
  walk(tree, (node) => {
    const given = node.type === 'CallExpression' && isDefineStep(node.callee as Node) ? (node.arguments as Node[]) : [];
    const last = given.at(-1);
    if (last && given.length > 1) bodies.push(last);
    return true;
  });
  if (bodies.length === 0) return code;
  const used = new Set<string>();
  walk(tree, (node) => {
    if (node.type === 'ImportDeclaration' || bodies.includes(node)) return false;
    if (node.type === 'Identifier') used.add(String(node.name));
    return true;
  });
  const cuts = bodies.map(({ start, end }) => ({ start, end, text: STUB }));
  for (const node of tree.body as Node[]) {
    if (node.type !== 'ImportDeclaration') continue;
    const specifiers = node.specifiers as (Node & { local: { name: string } })[];
    // Side-effect imports stay: it is unknown who needs them.
    if (specifiers.length > 0 && specifiers.every(({ local }) => !used.has(local.name)))
      cuts.push({ start: node.start, end: node.end, text: '' });
  }
  return cuts
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), code);
}

function isDefineStep(callee: Node): boolean {
  const named = callee.type === 'MemberExpression' ? (callee.property as Node) : callee;
  return named.type === 'Identifier' && named.name === 'defineStep';
}

/** `visit` returns false to skip the children of a node. */
function walk(node: Node, visit: (node: Node) => boolean): void {
  if (!visit(node)) return;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && typeof (child as Node).type === 'string')
        walk(child as Node, visit);
}

let parser: Parser | undefined;

/** The parser that Temporal's own bundler uses. */
function acorn(file: string | undefined): Parser {
  if (parser) return parser;
  const fromWorker = createRequire(findWorker(file));
  parser = createRequire(fromWorker.resolve('webpack'))('acorn') as Parser;
  return parser;
}

/** Beside this package, or where the project has it. */
function findWorker(file: string | undefined): string {
  try {
    return createRequire(import.meta.url).resolve('@temporalio/worker');
  } catch (error) {
    if (file === undefined) throw error;
    return createRequire(file).resolve('@temporalio/worker');
  }
}
