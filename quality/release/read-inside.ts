import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Component = { 'bom-ref': string; name: string; version: string; purl: string; scope?: string };
/** The packages whose code is inside the built files, and their licences, as the build wrote them. */
export type Inside = { components: Component[]; notices: string };

export function readInside(dist: string): Inside {
  const { components } = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8')) as { components: Component[] };
  return { components, notices: readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8') };
}
