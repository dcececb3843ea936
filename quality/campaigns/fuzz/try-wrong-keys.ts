import type { Keys } from './seed.ts';

type Operation = { security?: Record<string, unknown>[] };
type Document = { paths: Record<string, Record<string, Operation>> };

/** Calls every operation that needs a key without one, with a made-up one and with the other surface's key. */
export async function tryWrongKeys(server: Keys): Promise<{ asked: number; letIn: string[] }> {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  const letIn: string[] = [];
  let asked = 0;
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [name, { security = [] }] of Object.entries(methods)) {
      const method = name.toUpperCase();
      if (security.length === 0) continue;
      const isAdmin = security.some((scheme) => 'AdminApiKey' in scheme);
      const other = isAdmin ? server.standardKey : server.adminKey;
      for (const headers of headersOf([undefined, 'tmk_made-up', other])) {
        asked++;
        const response = await fetch(`${server.url}${path.replaceAll(/\{\w+\}/g, 'x')}`, { method, headers });
        await response.body?.cancel();
        if (response.status !== 401) letIn.push(`${method} ${path}: ${response.status}`);
      }
    }
  }
  return { asked, letIn };
}

/** Each key in both headers that are read. */
function headersOf(keys: (string | undefined)[]): Record<string, string>[] {
  return keys.flatMap((key) => (key === undefined ? [{}] : [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]));
}
