import { roomFiles, type SourceRule, sourceRules } from './rules.ts';

/** Layers of a room, lowest first. A file may import its own layer and those before it. */
const LAYERS = ['schema', 'store', 'helper', 'service', 'routes', 'door'] as const;
type Layer = (typeof LAYERS)[number];

/** Folders of `src` that are not rooms and so have no layers. */
const NOT_ROOMS = new Set(['kit', 'engines', 'cli', 'compose', 'operator', 'config']);

/** `errors.ts` counts as schema: it only describes errors. Any other file is a helper of the service. */
function layerOf(path: string): Layer | undefined {
  const [, room = '', part = ''] = path.split('/');
  if (part === '' || NOT_ROOMS.has(room)) return undefined;
  const name = part.replace(/\.ts$/, '');
  if (name === 'index') return 'door';
  if (name === 'errors' || name === 'events') return part.endsWith('.ts') ? 'schema' : 'helper';
  return LAYERS.find((layer) => layer === name) ?? 'helper';
}

export function checkLayers(path: string, target: string): string[] {
  const [from, to] = [layerOf(path), layerOf(target)];
  if (!from || !to || LAYERS.indexOf(to) <= LAYERS.indexOf(from)) return [];
  return [`${path} (${from}) may not import ${target} (${to})`];
}

/** One form for each layer: a file, or a folder with a file per noun. */
export function checkShapes(paths: readonly string[]): string[] {
  const known = new Set(paths);
  return [...roomsOf(paths)].flatMap((room) =>
    LAYERS.filter(
      (layer) => known.has(`src/${room}/${layer}.ts`) && paths.some(startsWith(`src/${room}/${layer}/`)),
    ).map((layer) => `src/${room} has both ${layer}.ts and ${layer}/: choose one`),
  );
}

/** One suffix for all files that only tests use. */
export function checkSuffixes(paths: readonly string[]): string[] {
  const wrong = paths.filter((path) => /(^|\/|-)(test-)?(support|helpers?|fixtures?)(\.ts$|\/)/.test(path));
  return wrong.map((path) => `${path} must end in -for-tests.ts, or be named after what it does`);
}

/** Files that stand directly in `src`. */
export function checkRoot(paths: readonly string[]): string[] {
  const strays = paths.filter((path) => /^src\/[^/]+$/.test(path) && !roomFiles.includes(path));
  return strays.map((path) => `${path} stands beside the rooms: only ${roomFiles.join(' and ')} do`);
}

export function checkSource(path: string, code: string, rules: readonly SourceRule[] = sourceRules): string[] {
  return rules
    .filter(
      ({ applies, pattern, allowed }) => (applies?.test(path) ?? true) && !allowed?.test(path) && pattern.test(code),
    )
    .map(({ problem }) => `${path} ${problem}`);
}

const startsWith = (prefix: string) => (path: string) => path.startsWith(prefix);

function roomsOf(paths: readonly string[]): Set<string> {
  const folders = paths.filter((path) => path.split('/').length > 2).map((path) => path.split('/')[1] ?? '');
  return new Set(folders.filter((folder) => !NOT_ROOMS.has(folder)));
}
