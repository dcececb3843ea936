import type { Block, ReadPage } from '../read-engine.ts';

/** Each page as Markdown; one page where the format has none. */
export function writePages(blocks: readonly Block[]): ReadPage[] {
  const pages: { parts: string[]; leftOut: string[] }[] = [];
  for (const block of blocks) {
    const page = block.page ?? 0;
    while (pages.length <= page) pages.push({ parts: [], leftOut: [] });
    if (block.kind === 'margin') pages[page]?.leftOut.push(block.text);
    else pages[page]?.parts.push(write(block));
  }
  return pages.map(({ parts, leftOut }) => ({ text: parts.join('\n\n'), leftOut }));
}

function write({ kind, text, level = 1 }: Block): string {
  if (kind === 'heading') return `${'#'.repeat(Math.min(level, 6))} ${text}`;
  return kind === 'notes' ? `Notes: ${text}` : text;
}
