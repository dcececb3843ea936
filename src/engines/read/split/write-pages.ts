import type { Block } from '../read-engine.ts';

/** The text of each page as Markdown; one page where the format has none. */
export function writePages(blocks: readonly Block[]): string[] {
  const pages: string[][] = [];
  for (const block of blocks) {
    const page = block.page ?? 0;
    while (pages.length <= page) pages.push([]);
    pages[page]?.push(write(block));
  }
  return pages.map((parts) => parts.join('\n\n'));
}

function write({ kind, text, level = 1 }: Block): string {
  if (kind === 'heading') return `${'#'.repeat(Math.min(level, 6))} ${text}`;
  return kind === 'notes' ? `Notes: ${text}` : text;
}
