import type { Config } from '../config/config.ts';
import type { ConnectorService } from '../connectors/index.ts';
import {
  createFileSaver,
  createSearch,
  createTools,
  type OpenTools,
  ownSearchAddress,
} from '../conversations/index.ts';
import type { FileService } from '../files/index.ts';
import type { Logger } from '../kit/base/log.ts';
import type { QueueMetrics } from '../kit/http/index.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import type { LibraryService } from '../libraries/index.ts';
import type { RetrievalService } from '../retrieval/index.ts';
import type { SkillService } from '../skills/index.ts';
import { hostAndPort } from './open-connectors.ts';
import { openSandbox } from './open-sandbox.ts';

const TOOL_TIMEOUT_MS = 60_000;

/** The tools of the configuration. The servers it names may be reached even where they are not public. */
export function openConversationTools(
  config: Config,
  {
    files,
    skills,
    connectors,
    libraries: { libraries },
    retrieval,
  }: {
    files: Pick<FileService, 'create'>;
    skills: Pick<SkillService, 'catalogue'>;
    connectors: Pick<ConnectorService, 'connect'>;
    libraries: Pick<LibraryService, 'libraries'>;
    retrieval: Pick<RetrievalService, 'search'>;
  },
  log: Logger,
  watch: QueueMetrics,
): { open: OpenTools; close(): Promise<void> } {
  const { web_search, image_generation } = config.file.tools;
  const urls = [web_search && ownSearchAddress(web_search), image_generation?.url];
  const outbound = createOutbound({
    allow: [...config.file.outbound.allow, ...urls.flatMap((url) => (url ? [hostAndPort(url)] : []))],
    timeoutMs: TOOL_TIMEOUT_MS,
  });
  const sandbox = openSandbox(config, log, watch);
  return {
    open: createTools({
      search: web_search && createSearch(web_search, outbound),
      images: image_generation,
      sandbox,
      connectors,
      skills: skills.catalogue,
      outbound,
      saveFile: createFileSaver(files),
      checkLibraries: async (caller, ids) => void (await libraries.findVisible(caller, ids)),
      async searchLibraries({ libraryIds, query, limit, caller: scope, callId, signal }) {
        const collections = await libraries.findVisible(scope, libraryIds);
        const caller = { scope, signal, requestId: `library-${callId}`, setHeader: () => undefined };
        const hits = await retrieval.search({ collections, query, limit, mode: 'hybrid', caller });
        return hits.map(({ collectionId, documentId, title, page, headings, text }) => ({
          ...{ title, page, headings, text },
          url: `${config.publicUrl ?? ''}/v1/libraries/${collectionId}/documents/${documentId}`,
        }));
      },
    }),
    async close() {
      await sandbox?.close();
      await outbound.close();
    },
  };
}
