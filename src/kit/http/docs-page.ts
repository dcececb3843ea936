import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { builtFile, isBuilt } from '../base/locations.ts';
import { type RawReply, raw } from './raw-reply.ts';
import { requestErrors } from './request-errors.ts';

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

// Everything comes from this server; inline styles are allowed because the viewer sets style attributes.
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. The same document as JSON: <a href="/openapi.json">/openapi.json</a></noscript>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, persistAuthorization: false });\n`;

export function docsPage(): RawReply {
  return raw(PAGE, 'text/html; charset=utf-8', {
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
  });
}

/** The viewer's files, served from its npm package, so the reference works offline. */
export async function docsAsset(name: string): Promise<RawReply> {
  const headers = { 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' };
  if (name === 'start.js') return raw(START, 'text/javascript; charset=utf-8', headers);
  const type = Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
  if (!type) throw requestErrors.route_not_found('There is no such file in the reference.');
  return raw(await readFile(join(viewerDir(), name)), type, headers);
}

function viewerDir(): string {
  if (isBuilt) return builtFile('swagger-ui');
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
