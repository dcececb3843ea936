import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { chooseTarget } from './build/app-paths.ts';
import type { AppProgress } from './open-app.ts';

const PAGE = '<!doctype html><html><head><script type="module" src="/src/main.ts"></script></head></html>';

/** The smallest app that Vite builds as it builds the console. */
function writeApp(main = `document.title = '${'Hello '.repeat(500)}';`): string {
  const dir = join(temporaryDir(), 'console');
  mkdirSync(join(dir, 'src'), { recursive: true });
  writeFileSync(join(dir, 'index.html'), PAGE);
  writeFileSync(join(dir, 'src/main.ts'), main);
  writeFileSync(join(dir, 'vite.config.ts'), "export default { base: '/console/', build: { assetsInlineLimit: 0 } };");
  return dir;
}

type Served = TestServer & { progress: AppProgress[] };

async function start(sources: string, environment: Record<string, string> = {}): Promise<Served> {
  const progress: AppProgress[] = [];
  const server = await startTestServer(sqliteForTests(), {
    environment,
    console: { sources, onProgress: (news) => progress.push(news) },
  });
  return { ...server, progress };
}

const open = (server: Served, path: string, headers: Record<string, string> = {}) =>
  call(server, path, { key: '', headers });
const opened = (server: Served, status = 200) =>
  expect.poll(async () => (await open(server, '/console/')).status, { timeout: 60_000, interval: 50 }).toBe(status);

describe('the console', () => {
  inFull.it(
    'is built at the first start beside a server that answers at once, and then served',
    async () => {
      const sources = writeApp();
      const server = await start(sources);
      const early = await open(server, '/console/prompts');
      expect([early.status, early.text]).toEqual([503, expect.stringContaining('is being built')]);
      expect(early.headers.get('content-security-policy')).toContain("default-src 'none'");
      const style = await open(server, '/console/notice.css');
      expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
      expect((await call(server, '/v1/users/me')).status).toBe(200);
      await opened(server);
      expect(server.progress.map(({ phase }) => phase)).toEqual(
        expect.arrayContaining(['writing', 'compressing', 'ready']),
      );

      const page = await open(server, '/console/');
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(page.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      const etag = page.headers.get('etag') ?? '';
      expect((await open(server, '/console/', { 'if-none-match': etag })).status).toBe(304);

      const [script = ''] = /\/console\/assets\/[\w.-]+\.js/.exec(page.text) ?? [];
      for (const [encoding, given] of [
        ['br', 'br'],
        ['gzip', 'gzip, br;q=0'],
        [null, 'identity'],
      ] as const) {
        const asset = await open(server, script, { 'accept-encoding': given });
        expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, encoding]);
        expect(asset.text).toContain('Hello Hello');
        expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
        expect(asset.headers.get('vary')).toBe('accept-encoding');
      }

      expect((await open(server, '/console/models/mistral.large-2')).text).toBe(page.text);
      expect((await open(server, '/console/link/abc.def')).text).toBe(page.text);
      expect((await open(server, '/console/models?tab=served&tab=all')).text).toBe(page.text);
      expect((await open(server, '/console/assets/gone.js')).status).toBe(404);
      const api = await open(server, '/console/api/nothing');
      expect([api.status, api.body]).toEqual([404, { detail: expect.stringContaining('/console/api/nothing') }]);
      const outside = await open(server, '/console/%2e%2e/%2e%2e/package.json');
      expect(outside.text).not.toContain('"dependencies"');
      const redirect = await fetch(`${server.url}/console`, { redirect: 'manual' });
      expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/console/']);
      await server.stop();

      const again = await start(sources);
      await opened(again);
      expect(again.progress).toEqual([]);
      await again.stop();

      writeFileSync(join(sources, 'src/main.ts'), "document.title = 'Changed';");
      const changed = await start(sources);
      await opened(changed);
      expect(changed.progress.at(-1)).toMatchObject({ phase: 'ready' });
      await changed.stop();

      // A failed build leaves the older one, but that belongs to other sources.
      const built = readFileSync(join(sources, 'dist/index.html'), 'utf8');
      writeFileSync(join(sources, 'src/main.ts'), "import './nowhere.ts';");
      const broken = await start(sources);
      await expect.poll(() => broken.progress.at(-1), { timeout: 60_000 }).toEqual({ phase: 'failed' });
      const failed = await open(broken, '/console/');
      expect([failed.status, failed.text]).toEqual([503, expect.stringContaining('npx tramontane console build')]);
      expect(failed.text).not.toContain(sources);
      expect(broken.logs.join('')).toContain('nowhere.ts');
      expect((await call(broken, '/v1/users/me')).status).toBe(200);
      expect(readFileSync(join(sources, 'dist/index.html'), 'utf8')).toBe(built);
      await broken.stop();

      // As in an image: a build without its sources.
      const image = join(temporaryDir(), 'console');
      mkdirSync(image);
      renameSync(join(sources, 'dist'), join(image, 'dist'));
      const fromImage = await start(image);
      await opened(fromImage);
      expect(fromImage.progress).toEqual([]);
    },
    180_000,
  );

  it('that is switched off is not built, and says how to switch it on', async () => {
    const sources = writeApp();
    const server = await start(sources, { TRAMONTANE_CONSOLE: 'off' });
    const { status, text } = await open(server, '/console/');
    expect([status, text]).toEqual([404, expect.stringContaining('TRAMONTANE_CONSOLE=on')]);
    expect((await open(server, '/console/api/nothing')).body).toEqual({ detail: expect.any(String) });
    expect(existsSync(join(sources, 'dist'))).toBe(false);
  });

  it('is built into the data dir where the checkout cannot be written', async () => {
    const own = join(temporaryDir(), 'data/console');
    expect(await chooseTarget({ sources: '', shared: '/proc/nowhere/dist', own })).toBe(own);
    const shared = join(temporaryDir(), 'dist');
    expect(await chooseTarget({ sources: '', shared, own })).toBe(shared);
  });
});
