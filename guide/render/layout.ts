import type { SiteMap, SitePage } from '../site-map.ts';
import { DECISIONS } from '../site-map.ts';
import { relativeTo } from './links.ts';
import type { Heading } from './transform.ts';

export type Assets = { style: string; script: string; search: string; icon: string };

export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/** Where the list of endpoints and the reference are, below the root of the site. */
export const ENDPOINTS = 'api.html';
export const REFERENCE = 'reference/index.html';

type Layout = {
  map: SiteMap;
  assets: Assets;
  /** The file of this page, and its title. */
  output: string;
  title: string;
  html: string;
  headings: Heading[];
};

/** A whole page: the text with navigation, search and outline around it. No script or style is inline. */
export function layout({ map, assets, output, title, html, headings }: Layout): string {
  const to = (path: string) => relativeTo(output, path);
  const heading = title === 'Welcome' ? 'Tramontane' : `${title} · Tramontane`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="${POLICY}">
<title>${escapeHtml(heading)}</title>
<link rel="icon" type="image/svg+xml" href="${to(assets.icon)}">
<link rel="stylesheet" href="${to(assets.style)}">
<script src="${to(assets.script)}" data-search="${to(assets.search)}" data-root="${to('index.html').replace(/index\.html$/, '')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<button type="button" class="menu" aria-expanded="false" aria-controls="pages">Pages</button>
<a class="brand" href="${to('index.html')}">Tramontane</a>
<search class="search"><label class="hidden" for="query">Search the guide</label><input id="query" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-controls="found" aria-describedby="keys"><kbd id="keys" aria-label="press slash to search">/</kbd><div id="found" class="found" hidden></div></search>
<a class="reference" href="${to(REFERENCE)}">API reference</a>
<button type="button" class="theme" aria-label="Theme: system" title="Theme">◐</button>
</header>
<div class="frame">
<nav id="pages" class="pages" aria-label="Pages">
${navigation(map, output, to)}
</nav>
<main id="content" tabindex="-1">
<article class="prose">
${html}
</article>
${neighbours(map, output, to)}
</main>
${outline(headings)}
</div>
</body>
</html>
`;
}

function navigation(map: SiteMap, output: string, to: (path: string) => string): string {
  const item = ({ output: path, title }: Pick<SitePage, 'output' | 'title'>) =>
    `<li><a href="${to(path)}"${path === output ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  const isDecision = output.startsWith('decisions/');
  return map.groups
    .filter(({ pages }) => pages.length > 0)
    .map(({ name, pages }) => {
      const items = pages.map((page) => {
        if (page.source !== DECISIONS || !isDecision) return item(page);
        return `${item(page)}\n<li><ul class="decisions">${map.decisions.map(item).join('')}</ul></li>`;
      });
      if (name === 'Reference') items.unshift(item({ output: ENDPOINTS, title: 'Endpoints' }));
      return `<h2>${escapeHtml(name)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
    })
    .join('\n');
}

function neighbours(map: SiteMap, output: string, to: (path: string) => string): string {
  const at = map.pages.findIndex((page) => page.output === output);
  const link = (page: SitePage | undefined, rel: string, label: string) =>
    page
      ? `<a rel="${rel}" href="${to(page.output)}"><span>${label}</span> ${escapeHtml(page.title)}</a>`
      : '<span></span>';
  if (at < 0) return '';
  return `<nav class="turn" aria-label="Previous and next page">${link(map.pages[at - 1], 'prev', 'Previous')}${link(map.pages[at + 1], 'next', 'Next')}</nav>`;
}

function outline(headings: Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.filter(({ level }) => level === 2).length < 2) return '<div class="outline"></div>';
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="outline" aria-labelledby="outline"><h2 id="outline">On this page</h2><ul>${items.join('')}</ul></nav>`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
