import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
  "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Gives the browser the app that was built from the sources as they are; every other request goes to the server. */
export async function serveBuilt(context: BrowserContext, origin: string, dist: string): Promise<void> {
  await context.route(
    (url) => url.origin === origin && /^\/console(\/(?!api\/)|$)/.test(url.pathname),
    (route) => {
      const asked = join(dist, new URL(route.request().url()).pathname.replace(/^\/console/, ''));
      const file = extname(asked) !== '' && existsSync(asked) ? asked : join(dist, 'index.html');
      return route.fulfill({
        body: readFileSync(file),
        contentType: types[extname(file)] ?? 'application/octet-stream',
        headers: { 'content-security-policy': policy },
      });
    },
  );
}
