import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { systemClock } from '../../kit/base/clock.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { formatCount } from '../shell/format-table.ts';

/** Requests start with one page, to show progress, and grow while responses are fast. */
const PAGES_MAX = 64;
const FAST_MS = 2000;

type Page = {
  index: number;
  markdown: string;
  images: { id: string; image_base64: string | null }[];
  tables: { id: string; content: string }[];
};
type OcrResponse = { pages: Page[]; model: string; usage_info: { pages_processed: number; doc_size_bytes: number } };

/** Uploads the document and converts it a few pages at a time. */
export async function ocr(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const file = args.parameter('file');
  const [out, images, model, tables] = ['out', 'images', 'model', 'tables'].map((name) => args.text(name));
  // It expires even if this program is killed before it deletes it.
  const uploaded = await api.upload(file, { purpose: 'ocr', expiry: '24', visibility: 'user' });
  const options = {
    model: model ?? null,
    document: { type: 'file', file_id: uploaded },
    include_blocks: args.flag('json'),
    include_image_base64: images !== undefined,
    ...(tables === 'html' && { table_format: 'html' }),
  };
  try {
    const read = await readPages(api, options, args.text('pages'), (text) => output.progress(text));
    for (const page of read.pages) await resolveLinks(page, images, dirname(resolve(out ?? '.')));
    const markdown = `${read.pages.map((page) => page.markdown).join('\n\n')}\n`;
    if (out !== undefined) await write(out, markdown);
    const written = `${out}: ${formatCount(read.pages.length, 'page')} of ${basename(file)}, converted by ${read.model}`;
    output.result(
      { ...read, ...(out !== undefined && { file: resolve(out) }) },
      out === undefined ? markdown.trimEnd() : written,
    );
  } finally {
    await api.fetch(`/v1/files/${uploaded}`, { method: 'DELETE' });
  }
}

/** The first response has the number of pages. */
async function readPages(
  api: ApiClient,
  options: object,
  wanted: string | undefined,
  onProgress: (text: string) => void,
): Promise<Pick<OcrResponse, 'pages' | 'model'>> {
  const request = (pages: number[]) => api.send<OcrResponse>('POST', '/v1/ocr', { ...options, pages });
  const asked = wanted === undefined ? undefined : parsePages(wanted);
  let rest = asked?.pages;
  onProgress('reading …');
  const first = await request(rest?.splice(0, 1) ?? [0]);
  const total = Number(first.headers.get('tramontane-document-pages') ?? 1);
  rest =
    rest?.filter((page) => page < total || asked?.named.has(page)) ??
    Array.from({ length: total - 1 }, (_, i) => i + 1);
  const pages = [...first.data.pages];
  const count = pages.length + rest.length;
  let atOnce = 1;
  while (rest.length > 0) {
    onProgress(`reading … ${pages.length} of ${count} pages`);
    const startedAt = systemClock();
    pages.push(...(await request(rest.splice(0, atOnce))).data.pages);
    if (systemClock() - startedAt < FAST_MS) atOnce = Math.min(PAGES_MAX, atOnce * 2);
  }
  return { pages, model: first.data.model };
}

/** A range may reach beyond the last page; a page that is named must be there. */
function parsePages(text: string): { pages: number[]; named: Set<number> } {
  const named = new Set<number>();
  const numbers = text.split(',').flatMap((part) => {
    const [, first, last] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(part) ?? [];
    const end = Number(last ?? first);
    if (first === undefined || Number(first) > end)
      throw new CommandFailure(`'${part}' is neither a page number, starting at 0, nor a range such as 0-2.`);
    if (last === undefined) named.add(end);
    return Array.from({ length: end - Number(first) + 1 }, (_, i) => Number(first) + i);
  });
  return { pages: [...new Set(numbers)], named };
}

/** Adds the page number to image names, because they are only unique within one response. */
async function resolveLinks(page: Page, imagesDir: string | undefined, home: string): Promise<void> {
  for (const table of page.tables)
    page.markdown = page.markdown.replaceAll(`[${table.id}](${table.id})`, table.content);
  for (const image of page.images) {
    const name = `page-${page.index}-${image.id}`;
    const link = imagesDir === undefined ? name : relative(home, resolve(imagesDir, name));
    page.markdown = page.markdown.replaceAll(`![${image.id}](${image.id})`, `![${name}](${link})`);
    image.id = name;
    const [, base64] = image.image_base64?.split(',') ?? [];
    if (imagesDir === undefined || base64 === undefined) continue;
    await mkdir(imagesDir, { recursive: true });
    await write(join(imagesDir, basename(name)), Buffer.from(base64, 'base64'));
  }
}

async function write(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${file} cannot be written (${code}).`);
  });
}
