import { globSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { chromium } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkPage } from '../../console/test/support/check-page.ts';
import { chromiumPath } from '../../console/test/support/chromium.ts';
import { describeInBrowser } from '../../console/test/support/open-console.ts';
import { groups } from '../../guide/pages.ts';
import { highlight } from '../../guide/render/highlight.ts';
import { readSiteMap } from '../../guide/site-map.ts';
import { writeManifest } from '../../guide/write-manifest.ts';
import { writeReference } from '../../guide/write-reference.ts';
import { writeSite } from '../../guide/write-site.ts';
import { call } from '../support/call.ts';
import { atEnd } from '../support/cleanup.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { isFull } from '../support/rounds.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { codeBlocks, root } from './read-markdown.ts';

let site: string;
let server: TestServer;
beforeAll(async () => {
  // As in a package: the guide without its sources.
  const installed = temporaryDir();
  site = join(installed, 'dist/guide');
  await mkdir(site, { recursive: true });
  await writeSite(root, site);
  // How small the pages become is not looked at here.
  await writeManifest(site, 1);
  server = await startTestServer(sqliteForTests(), { guideRoot: installed });
});

const htmlFiles = () => globSync('**/*.html', { cwd: site }).map((path) => path.replaceAll('\\', '/'));
const read = (path: string) => readFileSync(join(site, path), 'utf8');
const open = (path: string, headers: Record<string, string> = {}) => call(server, path, { key: '', headers });

/** Addresses in a page that lead to no file of the site, or to no anchor of its page. */
function brokenTargets(files: ReadonlyMap<string, string>): string[] {
  const present = new Set(globSync('**', { cwd: site }).map((path) => path.replaceAll('\\', '/')));
  const anchors = new Map(
    [...files].map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]),
  );
  return [...files].flatMap(([path, html]) =>
    [...html.matchAll(/ (?:href|src|srcset)="([^"]*)"/g)]
      .map(([, target = '']) => target.replaceAll('&amp;', '&'))
      .filter((target) => !/^(https?|mailto):/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const to = file === '' ? path : posix.join(dirname(path), file);
        // The reference is the server's own, or written beside the guide.
        if (to === 'reference/index.html') return false;
        const ids = anchors.get(to);
        if (ids === undefined) return !present.has(to.replace(/\/$/, ''));
        return anchor !== undefined && !ids.has(anchor);
      })
      .map((target) => `${path}: ${target}`),
  );
}

describe('the guide', () => {
  it('has every page of docs/ in its navigation', () => {
    const listed = groups.flatMap(({ pages }) => pages.map(({ source }) => source));
    expect(new Set(listed).size).toBe(listed.length);
    const pages = globSync('docs/*.md', { cwd: root }).filter((path) => path !== 'docs/README.md');
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter((path) => !listed.includes(path))).toEqual([]);
    const [, navigation = ''] = /<nav id="pages"([\s\S]*?)<\/nav>/.exec(read('index.html')) ?? [];
    const linked = [...navigation.matchAll(/href="([^"]+)"/g)].map(([, path]) => path);
    const written = htmlFiles().filter((path) => !/^decisions\/\d/.test(path));
    expect(written.filter((path) => !linked.includes(path))).toEqual([]);
    const decisions = globSync('docs/decisions/0*.md', { cwd: root }).length;
    expect(read('decisions/index.html').match(/aria-current|href="\d{4}-[^"]+"/g)?.length).toBeGreaterThan(decisions);
  });

  it('has links, pictures and anchors that lead somewhere, on every page', () => {
    const files = new Map(htmlFiles().map((path) => [path, read(path)]));
    expect(files.size).toBe(readSiteMap(root).pages.length + 1);
    expect(files.size).toBeGreaterThan(100);
    expect(brokenTargets(files)).toEqual([]);
    const planted = new Map([['a.html', '<a href="gone.html"></a><a href="#x"></a><img src="pictures/gone.webp">']]);
    expect(brokenTargets(planted)).toHaveLength(3);
  });

  it('asks for nothing from other hosts, and has nothing inline that a policy would refuse', () => {
    for (const path of htmlFiles()) {
      const html = read(path);
      expect(html, path).not.toMatch(/<script(?![^>]* src=)|<style| style=| on[a-z]+="/);
      expect(html, path).not.toMatch(/<(?:script|link|img|source)[^>]* (?:src|href|srcset)="https?:/);
    }
  });

  it('colours code without changing it', () => {
    const pages = globSync('{README,docs/*}.md', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
    for (const language of ['sh', 'ts', 'python', 'yaml', 'json']) {
      const blocks = pages.flatMap((page) => codeBlocks(page, language));
      expect(blocks.length, language).toBeGreaterThan(0);
      for (const block of blocks)
        expect(
          highlight(block, language)
            .map(({ text }) => text)
            .join(''),
        ).toBe(block);
    }
    expect(highlight('npm ci # all', 'sh').map(({ kind }) => kind)).toEqual(['name', undefined, 'comment']);
  });

  it('is served without a key, under a strict policy, compressed, and kept by browsers', async () => {
    const page = await open('/docs/guide/workflows.html', { 'accept-encoding': 'br' });
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h1 id="workflows">Workflows</h1>');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    const etag = page.headers.get('etag') ?? '';
    expect((await open('/docs/guide/workflows.html', { 'if-none-match': etag })).status).toBe(304);
    expect((await open('/docs/guide/workflows')).text).toBe(page.text);
    const [, style = ''] = /href="(assets\/guide-[^"]+\.css)"/.exec(page.text) ?? [];
    const asset = await open(`/docs/guide/${style}`);
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    const decision = await open('/docs/guide/decisions/0010-reference-page-from-the-package.html');
    expect(decision.text).toContain('Swagger UI');
    for (const [path, location] of [
      ['/docs/guide', '/docs/guide/'],
      ['/docs/guide/decisions', '/docs/guide/decisions/'],
      ['/docs/guide/reference/index.html', '/docs'],
    ]) {
      const moved = await fetch(`${server.url}${path}`, { redirect: 'manual' });
      expect([path, moved.status, moved.headers.get('location')]).toEqual([path, 302, location]);
    }
    for (const path of ['nowhere', '..%2f..%2fpackage.json', 'files.json', '%2e%2e/%2e%2e/package.json']) {
      const missing = await open(`/docs/guide/${path}`);
      expect([path, missing.status]).toEqual([path, 404]);
      expect(missing.text).not.toContain('etag');
    }
    const document = (await open('/openapi.json')).body as { paths: object };
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/docs'))).toEqual([]);
  });
});

// axe takes seconds for a long page, and the long form looks at all of them.
const BROWSER_MS = isFull ? 1_800_000 : 60_000;
describeInBrowser('the guide in a browser', () => {
  inFull.it(
    'is accessible in both themes and widths, and finds a setting, an error and an endpoint',
    {
      timeout: BROWSER_MS,
    },
    async () => {
      const browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
      atEnd(() => browser.close());
      const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
      page.on('request', (request) => void (request.url().startsWith(server.url) || complaints.push(request.url())));
      const all = htmlFiles().filter((path) => !/^decisions\/\d/.test(path));
      for (const path of isFull ? all : ['', 'prompts.html']) {
        await page.goto(`${server.url}/docs/guide/${path}`);
        await checkPage(page);
      }
      for (const [query, title, file] of [
        ['TRAMONTANE_PORT', 'Configuration', 'configuration.html'],
        ['storage_limit_exceeded', 'Errors', 'errors.html'],
        ['/v1/chat/completions', 'Endpoints', 'api.html'],
      ] as const) {
        await page.keyboard.press('/');
        await page.getByRole('searchbox').fill(query);
        await page.locator('.found').getByRole('link', { name: title }).first().click();
        await page.waitForURL(`**/docs/guide/${file}#**`);
        await page.waitForLoadState();
      }

      await page.goto(`${server.url}/docs/guide/workflows.html`);
      await page.getByRole('button', { name: 'Copy' }).first().focus();
      await page.keyboard.press('Enter');
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain('tramontane init my-workflows');
      await page.getByRole('button', { name: 'Theme: system' }).click();
      expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');

      // A narrow screen: the list of pages is a drawer.
      await page.setViewportSize({ width: 390, height: 800 });
      const prompts = page.getByRole('link', { name: 'Prompts', exact: true });
      expect(await prompts.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Pages' }).click();
      await prompts.click();
      await page.getByRole('heading', { level: 1, name: 'Prompts' }).waitFor();

      // The same pages as files, on no host at all.
      await writeReference(root, site);
      const files = await context.newPage();
      await files.goto(`file://${site}/index.html`);
      await files.getByRole('searchbox').fill('idempotency');
      await files.locator('.found').getByRole('link').first().waitFor();
      expect(complaints).toEqual([]);
    },
  );
});
