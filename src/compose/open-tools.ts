import type { Config } from '../config/config.ts';
import { createSearch, createTools, type OpenTools, ownSearchAddress } from '../conversations/index.ts';
import type { FileService } from '../files/index.ts';
import type { Logger } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import type { SkillService } from '../skills/index.ts';
import { openConnectors, placeOf } from './open-connectors.ts';
import { openSandbox } from './open-sandbox.ts';

const TOOL_TIMEOUT_MS = 60_000;

/** The tools that the configuration sets up. What the operator names may be reached although it is not public. */
export function openTools(
  config: Config,
  { files, skills }: { files: Pick<FileService, 'create'>; skills: Pick<SkillService, 'catalogue'> },
  log: Logger,
): { open: OpenTools; close(): Promise<void> } {
  const { web_search, image_generation } = config.file.tools;
  const named = [web_search && ownSearchAddress(web_search), image_generation?.url];
  const outbound = createOutbound({
    allow: [...config.file.outbound.allow, ...named.flatMap((url) => (url ? [placeOf(url)] : []))],
    timeoutMs: TOOL_TIMEOUT_MS,
  });
  const connected = openConnectors(config, log);
  const sandbox = openSandbox(config, log);
  return {
    open: createTools({
      search: web_search && createSearch(web_search, outbound),
      images: image_generation,
      sandbox,
      connectors: connected.connectors,
      skills: skills.catalogue,
      outbound,
      async saveFile({ permissions, ...caller }, { name, mimetype, bytes }) {
        const attributes = {
          filename: name,
          mimetype,
          purpose: 'ocr' as const,
          sample_type: 'pretrain' as const,
          source: 'mistral' as const,
          visibility: 'user' as const,
        };
        async function* content() {
          yield bytes;
        }
        return (await files.create({ ...caller, permissions: new Set(permissions) }, attributes, content())).id;
      },
    }),
    async close() {
      await sandbox?.close();
      await outbound.close();
      await connected.close();
    },
  };
}
