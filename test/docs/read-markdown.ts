import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export type Page = { path: string; text: string };

/** Every page of the repository, by its path from the root. */
export function readPages(): Page[] {
  const exclude = (path: string) => /(^|\/)(node_modules|\.git|\.tramontane)$/.test(path);
  return globSync('**/*.md', { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readText(path) }));
}

export function readText(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8');
}

/** The rows of all tables as their cells; heads and rulers are left out. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n');
  const isRuler = (line: string | undefined) => /^\|( *:?-+:? *\|)+$/.test(line ?? '');
  return lines
    .filter((line, i) => line.startsWith('|') && !isRuler(line) && !isRuler(lines[i + 1]))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** The code of a cell that contains nothing else. */
export function codeOf(cell: string | undefined): string | undefined {
  return /^`([^`]+)`$/.exec(cell ?? '')?.[1];
}

/** The fenced blocks of one language. */
export function codeBlocks(text: string, language: string): string[] {
  const fences = text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...fences].filter(([, marked]) => marked === language).map(([, , block = '']) => block);
}

export function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

/** The targets of links that stay within the repository. */
export function relativeLinks(text: string): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that a page's headings make. */
export function anchorsOf(text: string): Set<string> {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)];
  return new Set(headings.map(([, heading = '']) => slug(heading)));
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
