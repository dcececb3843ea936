import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { canonicalJson } from '../kit/base/canonical-json.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import type { Db } from '../kit/db/index.ts';
import type { ToolRow } from './store/tables.ts';
import { insertTools, listTrustedDigests } from './store/tools.ts';

/** Names of tools whose description or schema is another one than the one that was trusted. */
export type HeldTools = ReadonlySet<string>;

/** What a model reads of a tool. Its server may change it at any time, and with it what the model does. */
export function digestTool({ description, inputSchema }: Tool): string {
  return createHash('sha256')
    .update(canonicalJson({ description: description ?? '', parameters: inputSchema }))
    .digest('hex');
}

/** Trusts tools that are seen for the first time, and finds those that have changed since. */
export async function checkTools(
  { db, now }: { db: Db; now: Clock },
  place: { connector_id: string; organization_id: string },
  tools: readonly Tool[],
  digests: ReadonlyMap<string, string>,
): Promise<HeldTools> {
  const trusted = await listTrustedDigests(db, place.organization_id, place.connector_id);
  const known = new Map(trusted.map(({ name, digest }) => [name, digest]));
  const unknown = tools.filter(({ name }) => !known.has(name));
  if (unknown.length > 0)
    await insertTools(
      db,
      unknown.map((tool): ToolRow => toolRow(place, tool, digests.get(tool.name) ?? '', isoMicros(now), null)),
    );
  return new Set(tools.flatMap(({ name }) => (known.has(name) && known.get(name) !== digests.get(name) ? [name] : [])));
}

export function toolRow(
  place: { connector_id: string; organization_id: string },
  { name, description = '', inputSchema }: Tool,
  digest: string,
  seen_at: string,
  trusted_by: string | null,
): ToolRow {
  return { ...place, name, digest, definition: { description, parameters: inputSchema }, seen_at, trusted_by };
}
