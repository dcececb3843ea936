import { escapeHtml } from './layout.ts';
import type { Heading, Section } from './transform.ts';

type Operation = { operationId: string; summary?: string; tags?: string[] };
export type Document = { paths: Record<string, Record<string, Operation>> };

/** A page that lists every endpoint, each with a link into the reference. */
export function renderEndpoints(
  document: Document,
  reference: string,
): { html: string; headings: Heading[]; sections: Section[] } {
  const byTag = new Map<string, { method: string; path: string; operation: Operation }[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'other';
      byTag.set(tag, [...(byTag.get(tag) ?? []), { method: method.toUpperCase(), path, operation }]);
    }
  const tags = [...byTag.keys()].sort((a, b) => bare(a).localeCompare(bare(b)));
  const headings = tags.map((tag) => ({ level: 2, id: idOf(tag), text: titleOf(tag) }));
  // One section for each endpoint: whoever searches for a path finds it by its heading.
  const sections = tags.flatMap((tag) =>
    (byTag.get(tag) ?? []).map(({ method, path, operation }) => ({
      id: idOf(tag),
      heading: `${method} ${path}`,
      text: operation.summary ?? '',
    })),
  );
  const tables = tags.map((tag) => {
    const rows = (byTag.get(tag) ?? []).map(({ method, path, operation }) => {
      const href = `${reference}#/${tag}/${operation.operationId}`;
      return `<tr><td><a href="${escapeHtml(href)}"><code>${method} ${escapeHtml(path)}</code></a></td><td>${escapeHtml(operation.summary ?? '')}</td></tr>`;
    });
    const title = escapeHtml(titleOf(tag));
    return `<h2 id="${idOf(tag)}">${title}<a class="anchor" href="#${idOf(tag)}" aria-label="Link to “${title}”">#</a></h2>
<div class="table" tabindex="0" role="group" aria-label="${title}"><table><thead><tr><th>Endpoint</th><th>What it does</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
  });
  const count = [...byTag.values()].flat().length;
  const intro = `<p>All ${count} endpoints of the public API. Each opens in the <a href="${reference}">API reference</a>, which shows parameters, bodies and responses, and can send requests. The same as an OpenAPI 3.1 document is at <code>/openapi.json</code> of every server.</p>`;
  return { html: `<h1 id="endpoints">Endpoints</h1>\n${intro}\n${tables.join('\n')}`, headings, sections };
}

const bare = (tag: string) => tag.replace(/^beta\./, '');
const idOf = (tag: string) => bare(tag).replaceAll('.', '-');

function titleOf(tag: string): string {
  const words = bare(tag).replaceAll('.', ': ').replaceAll('-', ' ');
  return words[0]?.toUpperCase() + words.slice(1);
}
