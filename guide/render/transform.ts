import { highlight } from './highlight.ts';
import type { Link } from './links.ts';
import { type Element, element, isElement, type Node, type Raw, type Root, textOf } from './tree.ts';

export type Heading = { level: number; id: string; text: string };
/** What stands below a heading, for the search. */
export type Section = { id: string; heading: string; text: string };
export type Outline = { headings: Heading[]; sections: Section[] };

type Resolve = (target: string) => Link;

/** Prepares a parsed page for the site: anchors, links, coloured code, tables that scroll. Returns its outline. */
export function transform(root: Root, resolve: Resolve): Outline {
  const slugs = new Map<string, number>();
  const outline: Outline = { headings: [], sections: [] };
  let section: Section = { id: '', heading: '', text: '' };
  root.children = root.children.flatMap((node) => {
    if (isElement(node, 'h1', 'h2', 'h3', 'h4')) {
      const text = textOf(node).trim();
      const id = uniqueSlug(text, slugs);
      const level = Number(node.tagName[1]);
      outline.headings.push({ level, id, text });
      section = { id: level === 1 ? '' : id, heading: text, text: '' };
      outline.sections.push(section);
      return [anchored(change(node, resolve) as Element, level, id, text)];
    }
    section.text += textOf(node);
    return [change(node, resolve)].flat();
  });
  for (const one of outline.sections) one.text = one.text.replaceAll(/\s+/g, ' ').trim();
  return outline;
}

function anchored(heading: Element, level: number, id: string, text: string): Element {
  const link = element('a', { className: ['anchor'], href: `#${id}`, ariaLabel: `Link to “${text}”` }, '#');
  return { ...heading, properties: { id }, children: level === 1 ? heading.children : [...heading.children, link] };
}

function change(node: Node, resolve: Resolve): Node | Node[] {
  if (node.type === 'raw') return rawHtml(node, resolve);
  if (node.type !== 'element') return node;
  const children = node.children.flatMap((child) => change(child, resolve));
  if (node.tagName === 'a') return link({ ...node, children }, resolve);
  if (node.tagName === 'img')
    return { ...node, properties: { ...node.properties, src: hrefOf(resolve(String(node.properties.src))) } };
  if (node.tagName === 'pre') return codeBlock(node);
  if (node.tagName === 'thead' && textOf(node).trim() === '') return [];
  if (node.tagName === 'th' && children.length === 0) return { ...node, tagName: 'td' };
  if (node.tagName === 'table') return scrollBox({ ...node, children });
  return { ...node, children };
}

function link(node: Element, resolve: Resolve): Element {
  const target = resolve(String(node.properties.href ?? ''));
  if (target.kind === 'repository')
    return element('span', { className: ['file'], title: `${target.path} in the repository` }, ...node.children);
  const outside = target.kind === 'outside' ? { rel: ['noopener', 'noreferrer'] } : {};
  // A file name tells readers of the site nothing.
  const isFileName = target.kind === 'page' && /^[\w./-]+\.md$/.test(textOf(node));
  const children: Node[] = isFileName ? [{ type: 'text', value: target.title }] : node.children;
  return { ...node, properties: { href: target.href, ...outside }, children };
}

function codeBlock(pre: Element): Element {
  const [code] = pre.children.filter((child) => isElement(child, 'code'));
  const names = code && isElement(code) ? [code.properties.className ?? []].flat() : [];
  const language = String(names[0] ?? '').replace('language-', '');
  const text = textOf(pre).replace(/\s+$/, '');
  const pieces = highlight(text, language).map(({ kind, text: piece }) =>
    kind ? element('span', { className: [`code-${kind}`] }, piece) : piece,
  );
  const label = language ? `Code, ${language}` : 'Code';
  return element(
    'div',
    { className: ['code'] },
    element('pre', { tabIndex: 0, role: 'group', ariaLabel: label }, element('code', {}, ...pieces)),
  );
}

function scrollBox(table: Element): Element {
  return element('div', { className: ['table'], tabIndex: 0, role: 'group', ariaLabel: 'Table' }, table);
}

/** Comments go, and badges, which only the code host can show; other HTML of ours stays, with its addresses resolved. */
function rawHtml(node: Raw, resolve: Resolve): Node[] {
  const html = node.value.replaceAll(/<!--[\s\S]*?-->/g, '').trim();
  if (html === '' || html.includes('/badge.svg"')) return [];
  const changed = html.replaceAll(
    /\b(src|srcset|href)="([^"]+)"/g,
    (_, name: string, target: string) => `${name}="${hrefOf(resolve(target))}"`,
  );
  return [element('raw-html', { html: changed })];
}

function hrefOf(target: Link): string {
  return target.kind === 'repository' ? target.path : target.href;
}

/** As code hosts make them, so that links into a page work there and here. */
function uniqueSlug(text: string, seen: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
