import { posix } from 'node:path';
import { checkLayers, checkRoot, checkShapes, checkSource, checkSuffixes } from './check-room.ts';
import { doors, networkClients, networkUsers, rootFolders } from './rules.ts';

/** Source text by path from the repository root. */
export type Sources = Map<string, string>;

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s+'([^']+)'|(?:^|\n)\s*import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

const TEST_FILE = /\.test\.ts$|-for-tests(\.ts$|\/)/;

/** Every violation as one sentence with its path; empty when all rules hold. */
export function findViolations(sources: Sources): string[] {
  const paths = [...sources.keys()].filter((path) => path.startsWith('src/') && !TEST_FILE.test(path));
  const violations = [...checkRoot(paths), ...checkShapes(paths), ...checkSuffixes(paths)];
  for (const [path, text] of sources) {
    if (!path.startsWith('src/') || TEST_FILE.test(path)) continue;
    for (const target of importsOf(path, text)) violations.push(...checkImport(path, target, sources));
    violations.push(...checkSource(path, withoutComments(text)));
    if (path.endsWith('/index.ts') && /export \*/.test(text))
      violations.push(`${path} is a door and must name what it exports`);
  }
  for (const room of roomsOf(sources)) {
    if (!sources.has(`src/${room}/index.ts`) && !['kit', 'cli'].includes(room))
      violations.push(`src/${room} has no door (index.ts)`);
  }
  return violations;
}

/** Unlisted files that connect to other machines, and listed files that no longer do. */
export function findUnlistedNetwork(sources: Sources, listed: Record<string, string> = networkUsers): string[] {
  const users = [...sources].filter(([path, text]) => {
    const code = withoutComments(text);
    return path.startsWith('src/') && !TEST_FILE.test(path) && networkClients.some((pattern) => pattern.test(code));
  });
  const found = new Set(users.map(([path]) => path));
  return [
    ...[...found]
      .filter((path) => !listed[path])
      .map((path) => `${path} reaches other machines: say in networkUsers who chooses the address`),
    ...Object.keys(listed)
      .filter((path) => !found.has(path))
      .map((path) => `${path} is in networkUsers and reaches nobody`),
  ];
}

export function importsOf(path: string, text: string): string[] {
  const specifiers = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  const relative = specifiers.filter((specifier) => specifier.startsWith('.'));
  return relative.map((specifier) => posix.join(posix.dirname(path), specifier));
}

function checkImport(path: string, target: string, sources: Sources): string[] {
  const [from, to] = [roomOf(path), roomOf(target)];
  if (target.endsWith('.ts') && target.startsWith('src/') && !sources.has(target))
    return [`${path} imports ${target}, which does not exist`];
  if (from === to) return checkLayers(path, target);
  if (!target.startsWith('src/'))
    return isOutsideAllowed(from, target) ? [] : [`${path} reaches out of src to ${target}`];
  if (from === 'app')
    return isDoor(target) || to === 'kit'
      ? []
      : [`${path} enters ${to} by a side window (${target}); use src/${to}/index.ts`];
  const allowed = doors[from];
  if (!allowed) return [`${path}: the room '${from}' is not in the list of doors`];
  if (!allowed.some((door) => to === door || target.startsWith(`src/${door}/`)))
    return [`${path}: ${from} may not enter ${to} (${target})`];
  if (to !== 'kit' && to !== 'app' && !isDoor(target))
    return [`${path} enters ${to} by a side window (${target}); use src/${to}/index.ts`];
  if (to === 'kit' && !isDoor(target) && !target.startsWith('src/kit/base/'))
    return [`${path} enters ${target} beside its door`];
  return [];
}

function roomOf(path: string): string {
  const [top, room = ''] = path.split('/');
  if (top !== 'src') return 'outside';
  return room.endsWith('.ts') || rootFolders.includes(room) ? 'app' : room;
}

function roomsOf(sources: Sources): Set<string> {
  return new Set(
    [...sources.keys()]
      .filter((path) => path.startsWith('src/'))
      .map(roomOf)
      .filter((room) => room !== 'app'),
  );
}

// Only the composition root imports the migrations and package.json; the worker protocol is imported from its package.
function isOutsideAllowed(from: string, target: string): boolean {
  if (from === 'workflows')
    return ['protocol.ts', 'temporal/seal-payload.ts'].some((file) => target === `packages/workflows/src/${file}`);
  if (from === 'cli') return target === 'packages/workflows/src/worker/index.ts';
  return from === 'app' && (target === 'migrations/index.ts' || target === 'package.json');
}

function isDoor(target: string): boolean {
  return target.endsWith('/index.ts');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

export function findCycles(sources: Sources): string[] {
  const edges = new Map(
    [...sources].map(([path, text]) => [path, importsOf(path, text).filter((target) => sources.has(target))]),
  );
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') return void cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    state.set(path, 'open');
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of sources.keys()) visit(path, []);
  return cycles;
}
