import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type Group, groups } from './pages.ts';

/** A page of the site: where it comes from, and its file below the root of the site. */
export type SitePage = { source: string; output: string; title: string; about: string; group: string };
export type SiteMap = {
  groups: { name: string; pages: SitePage[] }[];
  decisions: SitePage[];
  /** In reading order. */
  pages: SitePage[];
  bySource: Map<string, SitePage>;
};

export const DECISIONS = 'docs/decisions/README.md';
const DECISION_ROW = /^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \|$/gm;

/** The pages that this checkout has, in the order of the table. */
export function readSiteMap(root: string, table: readonly Group[] = groups): SiteMap {
  const found = table.map(({ name, pages }) => ({
    name,
    pages: pages
      .filter(({ source }) => existsSync(join(root, source)))
      .map((page) => ({ ...page, output: outputOf(page.source), group: name })),
  }));
  const decisions = readDecisions(root);
  const pages = [...found.flatMap((group) => group.pages), ...decisions];
  return { groups: found, decisions, pages, bySource: new Map(pages.map((page) => [page.source, page])) };
}

function readDecisions(root: string): SitePage[] {
  if (!existsSync(join(root, DECISIONS))) return [];
  const list = readFileSync(join(root, DECISIONS), 'utf8');
  return [...list.matchAll(DECISION_ROW)].map(([, number = '', file = '', title = '']) => {
    const source = posix.join(dirname(DECISIONS), file);
    return { source, output: outputOf(source), title: `${number} ${title}`, about: '', group: 'Decisions' };
  });
}

/** `docs/limits.md` is `limits.html`, `examples/README.md` is `examples.html`, and the front page `index.html`. */
export function outputOf(source: string): string {
  if (source === 'README.md') return 'index.html';
  if (source === DECISIONS) return 'decisions/index.html';
  // docs/security.md has that name already.
  if (source === 'SECURITY.md') return 'security-policy.html';
  const path = source.replace(/^docs\//, '').replace(/\/README\.md$/, '.md');
  return `${path.replace(/\.md$/, '').toLowerCase().replace('packages/', 'package-')}.html`;
}
