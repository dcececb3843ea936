import { type RawReply, raw } from '../kit/http/index.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const SECURITY_HEADERS: Record<string, string> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export function redirect(location: string): RawReply {
  return raw('', 'text/plain', { location, 'cache-control': 'no-cache' }, 302);
}

export function missingPage(style: string | undefined): RawReply {
  const text = 'There is no page at this address. <a href="/docs/guide/">All pages of the guide</a>';
  return notFound('Page not found', text, style);
}

/** An installation without the guide, or a checkout in which it could not be built. */
export function missingGuide(): RawReply {
  const text =
    'It comes with the package and is built on demand in a checkout, where <code>npm ci</code> brings what that needs; the log of the server says what went wrong. <code>npm run docs:site</code> writes the same pages as files. The <a href="/docs">API reference</a> is there.';
  return notFound('The guide is not part of this installation', text, undefined);
}

function notFound(title: string, text: string, style: string | undefined): RawReply {
  const link = style ? `\n<link rel="stylesheet" href="/docs/guide/${style}">` : '';
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">${link}
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;
  return raw(page, 'text/html; charset=utf-8', { ...SECURITY_HEADERS, 'cache-control': 'no-store' }, 404);
}
