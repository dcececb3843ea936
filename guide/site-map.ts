import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type Group, groups, outputOf } from './pages.ts';

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
