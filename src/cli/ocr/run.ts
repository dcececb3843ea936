import { constants, openAsBlob } from 'node:fs';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { systemClock } from '../../kit/base/clock.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';

/** Pages of one request: few, so that progress is seen; more while they come fast. */
const PAGES_MAX = 64;
const FAST_MS = 2000;

type Page = {
  index: number;
  markdown: string;
  images: { id: string; image_base64: string | null }[];
  tables: { id: string; content: string }[];
};
type Answer = { pages: Page[]; model: string; usage_info: { pages_processed: number; doc_size_bytes: number } };
type Read = { pages: Page[]; model: string };

/** A document as Markdown, over HTTP as any client would get it, some pages at a time. */
export async function ocr(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const api = openApi(context);
  const file = args.parameter('file');
  const [out, images, model, tables] = ['out', 'images', 'model', 'tables'].map((name) => args.text(name));
  const uploaded = await upload(api, file);
  const order = {
    model: model ?? null,
    document: { type: 'file', file_id: uploaded },
    include_blocks: args.flag('json'),
    include_image_base64: images !== undefined,
    ...(tables === 'html' && { table_format: 'html' }),
  };
  try {
    const read = await readInParts(api, order, args.text('pages'), (text) => output.progress(text));
    for (const page of read.pages) await settle(page, images, dirname(resolve(out ?? '.')));
    const markdown = `${read.pages.map((page) => page.markdown).join('\n\n')}\n`;
    if (out !== undefined) await write(out, markdown);
    const count = read.pages.length === 1 ? '1 page' : `${read.pages.length} pages`;
    const written = `${out}: ${count} of ${basename(file)}, read by ${read.model}`;
    output.result(
      { ...read, ...(out !== undefined && { file: resolve(out) }) },
      out === undefined ? markdown.trimEnd() : written,
    );
    return 0;
  } finally {
    await api.fetch(`/v1/files/${uploaded}`, { method: 'DELETE' });
  }
}

async function upload(api: ApiClient, path: string): Promise<string> {
  await access(path, constants.R_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${path} cannot be read (${code}).`);
  });
  const form = new FormData();
  form.append('purpose', 'ocr');
  // Whatever happens to this program, the copy does not stay.
  form.append('expiry', '24');
  form.append('visibility', 'user');
  form.append('file', await openAsBlob(path), basename(path));
  const response = await api.fetch('/v1/files', { method: 'POST', body: form });
  return ((await response.json()) as { id: string }).id;
}

/** The first request tells how many pages there are. */
async function readInParts(
  api: ApiClient,
  order: object,
  wanted: string | undefined,
  onProgress: (text: string) => void,
): Promise<Read> {
  const ask = (pages: number[]) => api.send<Answer>('POST', '/v1/ocr', { ...order, pages });
  let rest = wanted === undefined ? undefined : expand(wanted);
  onProgress('reading …');
  const first = await ask(rest?.splice(0, 1) ?? [0]);
  const total = Number(first.headers.get('tramontane-document-pages') ?? 1);
  rest ??= Array.from({ length: total - 1 }, (_, i) => i + 1);
  const pages = [...first.data.pages];
  const count = pages.length + rest.length;
  let atOnce = 1;
  while (rest.length > 0) {
    onProgress(`reading … ${pages.length} of ${count} pages`);
    const startedAt = systemClock();
    pages.push(...(await ask(rest.splice(0, atOnce))).data.pages);
    if (systemClock() - startedAt < FAST_MS) atOnce = Math.min(PAGES_MAX, atOnce * 2);
  }
  return { pages, model: first.data.model };
}

function expand(pages: string): number[] {
  const numbers = pages.split(',').flatMap((part) => {
    const [, first, last = first] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(part) ?? [];
    if (first === undefined || Number(first) > Number(last))
      throw new CommandFailure(`'${part}' is neither a page, counted from 0, nor a range such as 0-2.`);
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
  });
  return [...new Set(numbers)];
}

/** Names are unique in an answer, and a document is read in several; so they get the number of their page. */
async function settle(page: Page, imagesDir: string | undefined, home: string): Promise<void> {
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
