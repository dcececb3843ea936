const BASE = 'skill://';

const types: Record<string, string> = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  py: 'text/x-python',
  sh: 'application/x-sh',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

/** `skill://release-notes/references/style%20guide.md`. */
export function uriOf(name: string, path: string): string {
  return `${BASE}${[name, ...path.split('/')].map(encodeURIComponent).join('/')}`;
}

/** The skill and path of a URI; undefined for a URI of another form. */
export function parseUri(uri: string): { name: string; path: string } | undefined {
  if (!uri.startsWith(BASE)) return undefined;
  try {
    const [name = '', ...path] = uri.slice(BASE.length).split('/').map(decodeURIComponent);
    return { name, path: path.join('/') };
  } catch {
    return undefined;
  }
}

export function mimeTypeOf(path: string, isText: boolean): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return types[extension] ?? (isText ? 'text/plain' : 'application/octet-stream');
}
