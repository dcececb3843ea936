import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { SiteMap, SitePage } from '../site-map.ts';

/** Pictures are copied; other files of the repository are named, not linked. */
export type Link =
  | { kind: 'page'; href: string; title: string }
  | { kind: 'picture' | 'outside'; href: string }
  | { kind: 'repository'; path: string };

const PICTURE = /^docs\/pictures\/[\w.-]+\.(svg|png|webp)$/;

/** Where a link of a page leads on the site, relative to the page. */
export function resolveLink(root: string, map: SiteMap, from: SitePage, target: string): Link {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return { kind: 'outside', href: target };
  const [path = '', anchor] = target.split('#');
  const end = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return { kind: 'page', href: end, title: from.title };
  const source = posix.join(posix.dirname(from.source), path).replace(/\/$/, '');
  if (PICTURE.test(source)) return { kind: 'picture', href: relativeTo(from.output, pictureOutput(source)) };
  const page = map.bySource.get(source) ?? map.bySource.get(`${source}/README.md`);
  if (page) return { kind: 'page', href: `${relativeTo(from.output, page.output)}${end}`, title: page.title };
  if (!existsSync(join(root, source))) throw new Error(`${from.source}: the link to ${target} leads nowhere`);
  return { kind: 'repository', path: source };
}

export function pictureOutput(source: string): string {
  return source.replace(/^docs\//, '');
}

/** The address of a file of the site from another one, so that the site works below any path. */
export function relativeTo(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}
