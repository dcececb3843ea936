import type { BlockCollector } from '../collect-blocks.ts';

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const RULE = /^\s*\|?(\s*:?-+:?\s*\|)+\s*:?-*:?\s*$/;

/** Blocks of Markdown, left as they are written. */
export function readMarkdown(source: string, to: BlockCollector): void {
  const lines = withoutComments(source, to)
    .replace(/^---\n[\s\S]{0,20000}?\n---\n/, '')
    .split('\n');
  let paragraph: string[] = [];
  let fence: { mark: string; lines: string[] } | undefined;

  function flush(): void {
    const [, second = ''] = paragraph;
    const isTable = paragraph.length > 1 && (paragraph[0] ?? '').includes('|') && RULE.test(second);
    to.add(isTable ? 'table' : 'text', paragraph.join('\n'));
    paragraph = [];
  }

  for (const line of lines) {
    if (fence) {
      fence.lines.push(line);
      if (!line.trim().startsWith(fence.mark)) continue;
      to.add('code', fence.lines.join('\n'));
      fence = undefined;
      continue;
    }
    const mark = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    const underline = paragraph.length === 1 ? UNDERLINE.exec(line)?.[1] : undefined;
    if (mark !== undefined) {
      flush();
      fence = { mark, lines: [line] };
    } else if (heading) {
      flush();
      to.add('heading', heading[2] ?? '', heading[1]?.length ?? 1);
    } else if (underline) {
      to.add('heading', paragraph[0] ?? '', underline.startsWith('=') ? 1 : 2);
      paragraph = [];
    } else if (line.trim() === '') flush();
    else paragraph.push(line);
  }
  if (fence) to.add('code', fence.lines.join('\n'));
  flush();
  to.title ??= to.blocks.find(({ kind, level }) => kind === 'heading' && level === 1)?.text ?? null;
}

/** No reader shows them. */
function withoutComments(source: string, to: BlockCollector): string {
  let text = '';
  let at = 0;
  for (;;) {
    const start = source.indexOf('<!--', at);
    const end = start < 0 ? -1 : source.indexOf('-->', start + 4);
    if (end < 0) return (text + source.slice(at)).replace(/\r\n?/g, '\n');
    text += source.slice(at, start);
    to.hide(source.slice(start + 4, end));
    at = end + 3;
  }
}
