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

/** Keeps that a tool is held back from now on, or is no longer. */
export type NoteHeld = (
  tool: Pick<ToolRow, 'organization_id' | 'connector_id' | 'name'>,
  held: Pick<ToolRow, 'held_digest' | 'held_at'>,
) => Promise<void>;

/** Trusts tools that are seen for the first time, and finds those that have changed since. */
export async function checkTools(
  { db, now, onChange }: { db: Db; now: Clock; onChange: NoteHeld },
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
  const held = new Set(
    tools.flatMap(({ name }) => (known.has(name) && known.get(name) !== digests.get(name) ? [name] : [])),
  );
  // Written only when it changes: this runs before each use of a connector.
  for (const { name, held_digest } of trusted) {
    const found = held.has(name) ? (digests.get(name) ?? null) : null;
    if (found === held_digest) continue;
    await onChange({ ...place, name }, { held_digest: found, held_at: found === null ? null : isoMicros(now) });
  }
  return held;
}

export function toolRow(
  place: { connector_id: string; organization_id: string },
  { name, description = '', inputSchema }: Tool,
  digest: string,
  seen_at: string,
  trusted_by: string | null,
): ToolRow {
  const definition = { description, parameters: inputSchema };
  return { ...place, name, digest, definition, seen_at, trusted_by, held_digest: null, held_at: null };
}
