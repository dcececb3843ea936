import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import type { Link } from './links.ts';
import { type Outline, transform } from './transform.ts';
import type { Root } from './tree.ts';

type RawHtml = { html: string };

const components = {
  'raw-html': ({ html }: RawHtml) =>
    createElement('div', { className: 'figure', dangerouslySetInnerHTML: { __html: html } }),
} as Components;

/** A page as HTML, and its outline. Pages are ours, so the HTML in them is kept. */
export function renderMarkdown(text: string, resolve: (target: string) => Link): { html: string } & Outline {
  let outline: Outline = { headings: [], sections: [] };
  const prepare = () => (tree: Root) => {
    outline = transform(tree, resolve);
  };
  const html = renderToStaticMarkup(
    createElement(
      Markdown,
      { remarkPlugins: [remarkGfm], rehypePlugins: [prepare], components, urlTransform: (url) => url },
      text,
    ),
  );
  return { html, ...outline };
}
