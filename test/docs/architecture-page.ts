import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { documentedRooms } from '../../src/app.ts';
import { importsOf } from '../architecture/check-architecture.ts';
import { readText, root } from './read-markdown.ts';

const START = '<!-- paths: made by npm run docs -->';
const END = '<!-- /paths -->';
const TREE = /<!-- tree -->\n```\n([\s\S]*?)```/;
const WALKS = /<!-- walks -->\n([\s\S]*?)<!-- \/walks -->/;
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.tramontane']);

/** ARCHITECTURE.md with its table of paths regenerated from the routes. */
export function withPaths(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n| Path | Room |\n| --- | --- |\n${renderPaths()}\n\n${END}${after}`;
}

/** The shortest prefixes of whole segments that belong to one room only, longest first where they overlap. */
function renderPaths(): string {
  const owned = documentedRooms().flatMap(([room, routes]) =>
    routes.map(({ path }) => ({ room, path: literal(path) })),
  );
  const prefixes = new Map<string, string>();
  for (const { room, path } of owned) {
    const segments = path.split('/').slice(1);
    const lengths = segments.map((_, index) => index + 1).filter((length) => length > 1 || segments.length === 1);
    const length = lengths.find((count) => isOwnedBy(room, `/${segments.slice(0, count).join('/')}`, owned));
    prefixes.set(`/${segments.slice(0, length ?? segments.length).join('/')}`, room);
  }
  return [...prefixes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([prefix, room]) => `| \`${prefix}\` | \`src/${room}\` |`)
    .join('\n');
}

const literal = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}');

function isOwnedBy(room: string, prefix: string, owned: { room: string; path: string }[]): boolean {
  return owned.every((other) => other.room === room || !(other.path === prefix || other.path.startsWith(`${prefix}/`)));
}

/** The entries of the tree: top level, and below `src/`. */
export function readTree(page: string): { top: string[]; src: string[] } {
  const lines = (TREE.exec(page)?.[1] ?? '').trimEnd().split('\n');
  const names = (indent: RegExp) => lines.flatMap((line) => indent.exec(line)?.[1] ?? []);
  return { top: names(/^([^\s]+\/)/), src: names(/^ {2}([^\s]+)/) };
}

export function listFolders(path: string): string[] {
  return readdirSync(`${root}${path}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith('.'))
    .filter(({ name }) => readdirSync(`${root}${path}/${name}`).length > 0)
    .map(({ name }) => `${name}/`);
}

export type Walk = { title: string; files: string[]; ports?: ReadonlySet<string> };

/** Each walk is a heading and a numbered list whose items begin with a path in code; `(a port)` marks what is passed in. */
export function readWalks(page: string): Walk[] {
  const sections = (WALKS.exec(page)?.[1] ?? '').split(/^### /m).slice(1);
  return sections.map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    files: [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file),
    ports: new Set([...section.matchAll(/^\d+\. `([^`]+)` \(a port\)/gm)].map(([, file = '']) => file)),
  }));
}

/** Files of a walk that no earlier file of it imports, directly or through a door. */
export function findGaps({ files, ports }: Walk): string[] {
  return files.filter(
    (file, index) => index > 0 && !ports?.has(file) && !files.slice(0, index).some((earlier) => reaches(earlier, file)),
  );
}

function reaches(from: string, to: string): boolean {
  const direct = importsOf(from, readText(from));
  const doors = direct.filter((target) => target.endsWith('/index.ts'));
  return direct.includes(to) || doors.some((door) => importsOf(door, readText(door)).includes(posix.normalize(to)));
}
