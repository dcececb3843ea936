import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests, temporaryDir } from '../../test/support/databases.ts';
import { inFull } from '../../test/support/in-full.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';

/** Stands for guide/build.ts: writes one page with the text of a page of the checkout. */
const BUILD = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const text = readFileSync(new URL('../docs/first.md', import.meta.url), 'utf8');
if (text.includes('broken')) throw new Error('This page cannot be rendered.');
const target = process.argv[2];
mkdirSync(target);
writeFileSync(target + '/index.html', text);
writeFileSync(target + '/files.json', JSON.stringify({ 'index.html': { etag: text.length + 'a', compressed: false } }));
`;

function writeCheckout(text: string): string {
  const root = temporaryDir();
  for (const dir of ['guide', 'docs']) mkdirSync(join(root, dir));
  writeFileSync(join(root, 'guide/build.ts'), BUILD);
  writeFileSync(join(root, 'docs/first.md'), text);
  return root;
}

const dataDir = join(temporaryDir(), 'data');
const start = (guideRoot: string) =>
  startTestServer(sqliteForTests(), { guideRoot, environment: { TRAMONTANE_DATA_DIR: dataDir } });
const open = (server: TestServer, path: string) => call(server, path, { key: '' });

describe('the guide of a checkout', () => {
  inFull.it(
    'is built when it is first opened, kept until its sources change, and missed politely when that fails',
    async () => {
      const root = writeCheckout('The first text');
      const server = await start(root);
      const builds = () => readdirSync(join(dataDir, 'guide'));
      expect(builds).toThrow();
      const [first, second] = await Promise.all([open(server, '/docs/guide/'), open(server, '/docs/guide/index.html')]);
      expect([first.status, first.text, second.text]).toEqual([200, 'The first text', 'The first text']);
      const built = builds();
      expect(built).toHaveLength(1);
      await server.stop();

      writeFileSync(join(root, 'docs/first.md'), 'Another text');
      const changed = await start(root);
      expect((await open(changed, '/docs/guide/')).text).toBe('Another text');
      expect(builds()).toHaveLength(1);
      expect(builds()).not.toEqual(built);
      await changed.stop();

      writeFileSync(join(root, 'docs/first.md'), 'broken');
      const broken = await start(root);
      const page = await open(broken, '/docs/guide/');
      expect([page.status, page.text]).toEqual([404, expect.stringContaining('npm run docs:site')]);
      expect(page.text).not.toContain(root);
      expect(broken.logs.join('')).toContain('This page cannot be rendered.');
      expect((await call(broken, '/v1/users/me')).status).toBe(200);
      await broken.stop();
    },
  );

  it('that is neither shipped nor buildable is a 404 page that says so', async () => {
    const server = await start(temporaryDir());
    const { status, text, headers } = await open(server, '/docs/guide/');
    expect([status, text]).toEqual([404, expect.stringContaining('not part of this installation')]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await open(server, '/docs')).status).toBe(200);
  });
});
