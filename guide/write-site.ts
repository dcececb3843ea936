import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Document, renderEndpoints } from './render/endpoints.ts';
import { type Assets, ENDPOINTS, layout, REFERENCE } from './render/layout.ts';
import { pictureOutput, relativeTo, resolveLink } from './render/links.ts';
import { renderMarkdown } from './render/render-markdown.ts';
import type { Section } from './render/transform.ts';
import { readSiteMap, type SitePage } from './site-map.ts';

type Searchable = { output: string; title: string; sections: Section[] };

const PICTURES = 'docs/pictures';
const CLIENT = join(import.meta.dirname, 'client');
/** The colours and the mark are the console's. */
const TOKENS = 'console/src/styles/tokens.css';
const ICON = 'console/src/shell/mark.svg';

/** Writes every page with its search data, assets and pictures below `target`. */
export async function writeSite(root: string, target: string): Promise<{ pages: number }> {
  const map = readSiteMap(root);
  const rendered = await Promise.all(
    map.pages.map(async (page) => {
      const text = await readFile(join(root, page.source), 'utf8');
      return { page, ...renderMarkdown(text, (link) => resolveLink(root, map, page, link)) };
    }),
  );
  const document = JSON.parse(await readFile(join(root, 'openapi/openapi.json'), 'utf8')) as Document;
  const endpoints = renderEndpoints(document, relativeTo(ENDPOINTS, REFERENCE));
  const search = [
    ...rendered.map(({ page, sections }) => ({ output: page.output, title: page.title, sections })),
    { output: ENDPOINTS, title: 'Endpoints', sections: endpoints.sections },
  ];
  const assets = await writeAssets(root, target, search);
  await writePictures(root, target);
  const write = (output: string, html: string) => writeUnder(target, output, html);
  for (const { page, html, headings } of rendered)
    await write(page.output, layout({ map, assets, ...shown(page), html, headings }));
  await write(ENDPOINTS, layout({ map, assets, output: ENDPOINTS, title: 'Endpoints', ...endpoints }));
  return { pages: rendered.length + 1 };
}

const shown = ({ output, title }: SitePage) => ({ output, title });

/** Their names change with their contents, so browsers may keep them. */
async function writeAssets(root: string, target: string, search: Searchable[]): Promise<Assets> {
  const client = (name: string) => readFile(join(CLIENT, name), 'utf8');
  const style = `${await readFile(join(root, TOKENS), 'utf8')}\n${await client('guide.css')}`;
  const put = async (name: string, text: string) => {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 10);
    const path = `assets/${name.replace('.', `-${hash}.`)}`;
    await writeUnder(target, path, text);
    return path;
  };
  return {
    style: await put('guide.css', style),
    script: await put('guide.js', await client('guide.js')),
    search: await put('search.js', searchScript(search)),
    icon: await put('icon.svg', await readFile(join(root, ICON), 'utf8')),
  };
}

/** A script and not JSON: it may also be read from a folder, where browsers refuse to fetch. */
function searchScript(search: Searchable[]): string {
  const data = search.map(({ output, title, sections }) => [
    output,
    title,
    sections.map(({ id, heading, text }) => [id, heading, text]),
  ]);
  return `globalThis.guidePages = ${JSON.stringify(data)};\n`;
}

async function writePictures(root: string, target: string): Promise<void> {
  if (!existsSync(join(root, PICTURES))) return;
  for (const name of await readdir(join(root, PICTURES))) {
    if (!/\.(svg|webp|png)$/.test(name)) continue;
    const output = join(target, pictureOutput(`${PICTURES}/${name}`));
    await mkdir(dirname(output), { recursive: true });
    await copyFile(join(root, PICTURES, name), output);
  }
}

async function writeUnder(target: string, path: string, text: string): Promise<void> {
  const file = join(target, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
