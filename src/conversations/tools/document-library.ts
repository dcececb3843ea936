import type { Scope } from '../../kit/http/index.ts';
import { conversationErrors } from '../errors.ts';
import type { ServerTool } from '../run/toolbox.ts';
import { markData } from './mark-data.ts';

const QUERY_CHARACTERS_MAX = 1000;
const PASSAGES_MAX = 6;
const DESCRIPTION_CHARACTERS_MAX = 300;
/** A part of a document, and where it stands. */
export type Passage = {
  title: string;
  url: string;
  /** From 0; null where the document has no pages. */
  page: number | null;
  headings: readonly string[];
  text: string;
};

export type SearchLibraries = (use: {
  libraryIds: readonly string[];
  query: string;
  limit: number;
  /** Decides what is found: libraries that it does not see are left out, whoever made the agent. */
  caller: Scope;
  callId: string;
  signal: AbortSignal;
}) => Promise<Passage[]>;

export function documentLibraryTool(libraryIds: readonly string[], search: SearchLibraries | undefined): ServerTool {
  return {
    name: 'document_library',
    description:
      'Search the documents of the user. Returns passages with the title of their document, the page and the headings. Use it whenever the answer may be in these documents, and name the document that you use.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for, in the words of the question' } },
      required: ['query'],
    },
    needsConfirmation: false,
    async run({ arguments: { query }, caller, callId, signal }) {
      if (!search) throw conversationErrors.tool_unavailable('This server has no libraries.');
      const text = String(query ?? '').slice(0, QUERY_CHARACTERS_MAX);
      const passages = await search({ libraryIds, query: text, limit: PASSAGES_MAX, caller, callId, signal });
      const shown = passages.map((passage, index) => `[${index + 1}] ${placeOf(passage)}\n${passage.text}`);
      return {
        text: shown.length > 0 ? markData(shown.join('\n\n'), 'documents') : 'Nothing was found in these documents.',
        info: { query: text, results: passages.length },
        chunks: passages.map((passage) => ({
          type: 'tool_reference' as const,
          tool: 'document_library' as const,
          title: placeOf(passage),
          url: passage.url,
          description: passage.text.slice(0, DESCRIPTION_CHARACTERS_MAX),
        })),
      };
    },
  };
}

function placeOf({ title, page, headings }: Passage): string {
  // Many documents begin with their title as a heading.
  const path = headings.filter((heading) => heading !== title).join(' > ');
  return [title, page === null ? '' : `page ${page + 1}`, path].filter(Boolean).join(', ');
}
