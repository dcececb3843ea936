import type { Block } from '../../engines/read/index.ts';
import type { RecognizedPage } from '../ports.ts';

/** What stands on every page. */
const MARGINS = new Set(['header', 'footer']);

/** The blocks of a recognized page with their places on it; undefined where only its Markdown is known. */
export function toBlocks({ blocks, size }: RecognizedPage, page: number): Block[] | undefined {
  if (!blocks) return undefined;
  return blocks
    .filter(({ type, content }) => type !== 'image' && content.trim() !== '')
    .map(({ type, content, ...box }) => {
      const boxes = size ? [{ page, ...fractionOf(box, size) }] : [];
      if (MARGINS.has(type)) return { kind: 'margin', text: content, page, boxes };
      const [, marks, title] = /^(#{1,6})\s+(.*)$/s.exec(content) ?? [];
      if (type === 'title' || marks)
        return { kind: 'heading', text: (title ?? content).trim(), level: marks?.length ?? 1, page, boxes };
      if (type === 'table' || type === 'code') return { kind: type, text: content, page, boxes };
      return { kind: 'text', text: content, page, boxes };
    });
}

type Box = { x0: number; y0: number; x1: number; y1: number };

function fractionOf(box: Box, { width, height }: { width: number; height: number }): Box {
  const part = (value: number, whole: number) =>
    Math.min(1, Math.max(0, Math.round((value / whole) * 10_000) / 10_000));
  return { x0: part(box.x0, width), y0: part(box.y0, height), x1: part(box.x1, width), y1: part(box.y1, height) };
}
