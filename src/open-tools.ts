import type { Config } from './config.ts';
import { createSearch, createTools, type OpenTools } from './conversations/index.ts';
import { unavailable } from './kit/http/index.ts';
import { createOutbound } from './kit/outbound/index.ts';

const TOOL_TIMEOUT_MS = 60_000;

/** The tools that the configuration sets up. What the operator names may be reached; what clients name passes the guard. */
export function openTools({ file }: Config): { open: OpenTools; close(): Promise<void> } {
  const { web_search, image_generation } = file.tools;
  const named = [web_search?.url, image_generation?.url].flatMap((url) => (url ? [new URL(url).host] : []));
  const outbound = createOutbound({ allow: named, timeoutMs: TOOL_TIMEOUT_MS });
  return {
    open: createTools({
      search: web_search && createSearch(web_search, outbound),
      images: image_generation,
      outbound,
      saveFile: async () => {
        throw unavailable('Files cannot be kept yet.', 60);
      },
    }),
    close: () => outbound.close(),
  };
}
