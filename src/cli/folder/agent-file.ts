import { basename } from 'node:path';
import { parse, stringify } from 'yaml';
import { CommandFailure } from '../../operator/command-failure.ts';
import { readOneFile } from './safe-files.ts';

/** One version of an agent. `handoffs` are ids on a server and file labels in a folder. */
export type AgentDefinition = {
  name: string;
  model: string;
  description?: string | null;
  instructions?: string | null;
  tools?: unknown[];
  completion_args?: Record<string, unknown>;
  guardrails?: unknown[] | null;
  handoffs?: string[] | null;
  metadata?: Record<string, unknown> | null;
  version_message?: string | null;
};

export type AgentVersion = AgentDefinition & { aliases?: string[] };
/** The current version, and other versions with an alias, oldest first. */
export type AgentFile = AgentVersion & { versions?: AgentVersion[] };
export type LocalAgent = { label: string; source: string; file: AgentFile };

export const AGENTS_FOLDER = 'agents';
const ENDING = '.yaml';
const FIELDS = [
  'name',
  'model',
  'description',
  'instructions',
  'tools',
  'completion_args',
  'guardrails',
  'handoffs',
  'metadata',
  'version_message',
] as const satisfies (keyof AgentDefinition)[];
const KNOWN = new Set<string>([...FIELDS, 'aliases', 'versions']);

/** Fixes the order of the fields and drops empty ones, so that equal agents have equal files. */
export function normalize(given: AgentVersion): AgentVersion {
  const fields = FIELDS.map((field) => [field, given[field]] as const).filter(([, value]) => !isEmpty(value));
  const aliases = given.aliases?.length ? { aliases: given.aliases.toSorted() } : {};
  return { ...(Object.fromEntries(fields) as AgentDefinition), ...aliases };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function agentFileText(file: AgentFile): string {
  const { versions = [], ...current } = file;
  const others = versions.length > 0 ? { versions: versions.map(normalize) } : {};
  return stringify({ ...normalize(current), ...others }, { lineWidth: 0 });
}

/** The label of a folder entry, if it is an agent file. */
export function agentLabelOf({ name, isFolder }: { name: string; isFolder: boolean }): string | undefined {
  return !isFolder && name.endsWith(ENDING) ? basename(name, ENDING) : undefined;
}

export const agentFileName = (label: string): string => `${label}${ENDING}`;

export async function readAgentFile(source: string, label: string): Promise<LocalAgent> {
  const { bytes } = await readOneFile(source);
  const file: unknown = parse(bytes.toString('utf8'));
  if (!isAgent(file)) throw new CommandFailure(`${source}: an agent needs at least a name and a model, both strings.`);
  for (const version of [file, ...(file.versions ?? [])]) {
    const unknown = Object.keys(version).find((key) => !KNOWN.has(key));
    if (unknown !== undefined) throw new CommandFailure(`${source}: unknown field '${unknown}'.`);
    if (!isAgent(version)) throw new CommandFailure(`${source}: each version needs at least a name and a model.`);
  }
  return { label, source, file };
}

function isAgent(value: unknown): value is AgentFile {
  if (typeof value !== 'object' || value === null) return false;
  const { name, model } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof model === 'string';
}
