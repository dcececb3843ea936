import { type McpServer, type Resource, ResourceTemplate } from '@modelcontextprotocol/server';
import type { Logger } from '../kit/base/log.ts';
import type { Scope } from '../kit/http/index.ts';
import { withProtocolErrors } from './explain-error.ts';
import { AS_DATA, type LibraryTools } from './tools/read-libraries.ts';

const LIBRARIES_MAX = 100;
const DOCUMENTS_MAX = 100;
const MARKDOWN = 'text/markdown';

/** `library://<library>` lists the documents of a library, `library://<library>/<document>` is the text of one. */
export function serveLibraries(
  mcp: McpServer,
  scope: Scope,
  { libraries, documents }: LibraryTools,
  log: Logger,
): void {
  mcp.registerResource(
    'library',
    new ResourceTemplate('library://{library_id}', { list: undefined }),
    { description: 'The documents of a library', mimeType: MARKDOWN },
    (uri, variables) =>
      withProtocolErrors(log, async () => {
        const id = String(variables.library_id);
        const { name, description } = await libraries.get(scope, id);
        const query = { page: 0, page_size: DOCUMENTS_MAX, sort_by: 'name' as const, sort_order: 'asc' as const };
        const { data, pagination } = await documents.list(scope, id, query);
        const lines = data.map((document) => `- [${document.name}](library://${id}/${document.id})`);
        const rest = pagination.total_items - data.length;
        if (rest > 0) lines.push(`- and ${rest} more: use search_libraries`);
        return contentOf(uri, [`# ${name}`, description ?? '', lines.join('\n')].filter(Boolean).join('\n\n'));
      }),
  );
  mcp.registerResource(
    'library-document',
    new ResourceTemplate('library://{library_id}/{document_id}', { list: undefined }),
    { description: `The text of a document. ${AS_DATA}`, mimeType: MARKDOWN },
    (uri, variables) =>
      withProtocolErrors(log, async () => {
        const { text } = await documents.text(
          { scope },
          String(variables.library_id),
          String(variables.document_id),
          {},
        );
        return contentOf(uri, text);
      }),
  );
}

/** The newest libraries, for the first page of a list. */
export async function listLibraryResources(scope: Scope, { libraries }: LibraryTools): Promise<Resource[]> {
  const { data } = await libraries.list(scope, { page: 0, page_size: LIBRARIES_MAX });
  return data.map(({ id, name, description }) => ({
    uri: `library://${id}`,
    name,
    mimeType: MARKDOWN,
    ...(description ? { description } : {}),
  }));
}

const contentOf = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, mimeType: MARKDOWN, text }] });
