import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneAtATime, serveParent } from '../process/serve-parent.ts';
import type { ReadPart, ReadSettings, ReadTask } from './protocol.ts';
import { readDocument } from './read-document.ts';
import { detectLanguage } from './split/detect-language.ts';
import { splitBlocks } from './split/split-blocks.ts';
import { writePages } from './split/write-pages.ts';

serveParent<ReadSettings, ReadTask, ReadPart>(async (settings) =>
  oneAtATime(async ({ source, chunkCharacters }, give, signal) => {
    const { blocks, title, language, isContainer } = await readDocument(source, settings, async (entry) => {
      give({ entry });
      // Lets a cancellation in, and the entry out.
      await nextTurn();
      signal.throwIfAborted();
    });
    const pages = writePages(blocks);
    const chunks = splitBlocks(blocks, chunkCharacters, settings.chunksMax);
    const heading = blocks.find(({ kind, level }) => kind === 'heading' && level === 1)?.text ?? null;
    give({
      result: {
        title: title ?? heading,
        language: language?.toLowerCase().split(/[-_]/)[0] || detectLanguage(pages.slice(0, 5).join('\n')),
        pages,
        chunks,
        isContainer,
      },
    });
  }),
);
