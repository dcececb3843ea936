import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneAtATime, serveParent } from '../process/serve-parent.ts';
import type { ReadPart, ReadSettings, ReadTask } from './protocol.ts';
import { readDocument } from './read-document.ts';
import type { ReadPage } from './read-engine.ts';
import { detectLanguage } from './split/detect-language.ts';
import { splitBlocks } from './split/split-blocks.ts';
import { writePages } from './split/write-pages.ts';

const GROUP_CHARACTERS_MAX = 256 * 1024;

serveParent<ReadSettings, ReadTask, ReadPart>(async (settings) => {
  return oneAtATime(async ({ source, chunkCharacters }, give, signal) => {
    const { blocks, title, language, isContainer } = await readDocument(source, settings, async (entry) => {
      give({ entry });
      // Lets a cancellation in, and the entry out.
      await nextTurn();
      signal.throwIfAborted();
    });
    const pages = writePages(blocks);
    const chunks = splitBlocks(blocks, chunkCharacters, settings.chunksMax);
    const heading = blocks.find(({ kind, level }) => kind === 'heading' && level === 1)?.text ?? null;
    for (const group of groupsOf(pages, lengthOf)) {
      give({ pages: group });
      await nextTurn();
    }
    for (const group of groupsOf(chunks, ({ text }) => text.length)) {
      give({ chunks: group });
      await nextTurn();
    }
    give({
      facts: {
        title: title ?? heading,
        language: language?.toLowerCase().split(/[-_]/)[0] || detectLanguage(textOf(pages.slice(0, 5))),
        isContainer,
      },
    });
  });
});

const lengthOf = ({ text, leftOut }: ReadPage) => leftOut.reduce((sum, left) => sum + left.length, text.length);
const textOf = (pages: ReadPage[]) => pages.map(({ text }) => text).join('\n');

function groupsOf<T>(items: readonly T[], lengthOf: (item: T) => number): T[][] {
  const groups: T[][] = [];
  let length = GROUP_CHARACTERS_MAX;
  for (const item of items) {
    if (length >= GROUP_CHARACTERS_MAX) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(item);
    length += lengthOf(item);
  }
  return groups;
}
