import { conversationErrors } from '../errors.ts';
import type { ServerTool } from '../run/toolbox.ts';
import { markData } from './mark-data.ts';
import type { Search } from './search-providers.ts';

const QUERY_CHARACTERS_MAX = 400;

/** The results go to the model as data and to the client as sources. */
export function webSearchTool(name: 'web_search' | 'web_search_premium', search: Search | undefined): ServerTool {
  return {
    name,
    description: 'Search the web. Returns titles, addresses and summaries of pages.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to search for, in a few words' } },
      required: ['query'],
    },
    needsConfirmation: false,
    async run({ arguments: { query }, signal }) {
      if (!search)
        throw conversationErrors.tool_unavailable(
          'Web search is not set up on this server. Its operator can name a provider under tools.web_search.',
        );
      const text = String(query).slice(0, QUERY_CHARACTERS_MAX);
      const hits = await search(text, { premium: name === 'web_search_premium', signal });
      const lines = hits.map(({ title, url, description }, index) => `[${index + 1}] ${title}\n${url}\n${description}`);
      return {
        text: lines.length > 0 ? markData(lines.join('\n\n'), 'the web') : 'Nothing was found.',
        info: { query: text, results: hits.length },
        chunks: hits.map(({ title, url, description }) => ({
          type: 'tool_reference' as const,
          tool: name,
          title,
          url,
          description,
        })),
      };
    },
  };
}
