import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ApiClient, ApiRefusal } from '../shell/api-client.ts';
import type { Kind, LocalVersion, RemoteObject, RemoteVersion, Sharing } from './kind.ts';
import type { LocalObject } from './read-folder.ts';

export type Imported = {
  noun: string;
  name: string;
  sharing: Sharing;
  outcome: 'created' | 'updated' | 'unchanged';
  newVersions: number;
  /** Of a library or a search index. */
  newDocuments?: number;
  warnings: string[];
};

const FINDINGS = 'tramontane-intake-findings';

/** Creates every missing version of an object and updates its notes, aliases and fields. */
export async function importObject(
  api: ApiClient,
  { kind, sharing, versions }: LocalObject,
  remote: RemoteObject | undefined,
  { dryRun }: { dryRun: boolean },
): Promise<Imported> {
  const newest = versions.at(-1);
  const name = newest?.name ?? '';
  const warnings = versions.flatMap((version) => version.warnings);
  const path = `/v2/${kind.folder}`;
  const known = remote ? (await api.get<{ data: RemoteVersion[] }>(`${path}/${remote.id}/versions`)).data : [];
  let id = remote?.id;
  let newVersions = 0;
  let isChanged = false;
  let newestNumber = 0;

  for (const version of versions) {
    const definition = await version.loadDefinition();
    const same = id === undefined ? undefined : await findSame(api, kind, id, known, definition);
    newestNumber = same?.version ?? 0;
    if (!same) newVersions++;
    const differs = !same || hasChanges(version, same);
    isChanged ||= differs;
    if (!differs || dryRun) continue;
    const body = { definition, ...optional('notes', version.notes), ...optional('aliases', version.aliases) };
    const created = await nameFile(version, () =>
      id === undefined
        ? api.send<{ id: string }>('POST', path, { name, sharingScope: sharing, ...body })
        : api.send<{ id: string }>('POST', `${path}/${id}/versions`, body),
    );
    id ??= created.data.id;
    const findings = created.headers.get(FINDINGS);
    if (findings) warnings.push(`${version.source}: the intake scan found ${decodeURI(findings)}`);
  }
  if (remote && newestNumber > 0 && newestNumber < remote.latestVersion) {
    const { source } = newest ?? { source: name };
    warnings.push(
      `${source}: already exists as version ${newestNumber}; version ${remote.latestVersion} stays the latest`,
    );
  }
  const fields = newest?.fields ?? {};
  const before = remote ? await kind.readFields(api, await api.get<RemoteObject>(`${path}/${remote.id}`)) : {};
  if (!isDeepStrictEqual(fields, before)) {
    isChanged = true;
    if (id !== undefined && !dryRun) await kind.writeFields(api, id, fields, before);
  }
  const outcome = remote ? (isChanged ? 'updated' : 'unchanged') : 'created';
  return { noun: kind.noun, name, sharing, outcome, newVersions, warnings };
}

async function findSame(
  api: ApiClient,
  kind: Kind,
  id: string,
  known: RemoteVersion[],
  definition: unknown,
): Promise<RemoteVersion | undefined> {
  for (const listed of known.filter((version) => kind.mayEqual(version.definition, definition))) {
    const whole = await api.get<RemoteVersion>(`/v2/${kind.folder}/${id}/versions/${listed.version}`);
    if (kind.equals(whole.definition, definition)) return listed;
  }
  return undefined;
}

function hasChanges({ notes, aliases = [] }: LocalVersion, same: RemoteVersion): boolean {
  return (
    (notes !== undefined && notes !== (same.notes ?? '')) || aliases.some((alias) => !same.aliases.includes(alias))
  );
}

function optional(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

/** Replaces the field path of a server error by the file it comes from. */
async function nameFile<T>({ source }: LocalVersion, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    if (error.items.length === 0) throw new ApiRefusal(error.status, `${source}: ${error.message}`);
    const messages = error.items.map(({ loc: [, , field, path], msg }) => {
      const file = field === 'assets' && path !== undefined ? join(dirname(source), String(path)) : source;
      return `${file}: ${msg.replace(/^Value error, /, '')}`;
    });
    throw new ApiRefusal(error.status, messages.join('; '));
  }
}
