import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from '../shell/api-client.ts';

export type Library = { id: string; name: string; nb_documents: number; total_size: number; updated_at: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NAMES_SHOWN = 10;

export async function listLibraries(api: ApiClient, search = ''): Promise<Library[]> {
  const found: Library[] = [];
  const query = new URLSearchParams({ page_size: '100', ...(search && { search }) });
  for (;;) {
    const page = await api.get<{ data: Library[]; next_page_token?: string | null }>(`/v1/libraries?${query}`);
    found.push(...page.data);
    if (!page.next_page_token) return found;
    query.set('page_token', page.next_page_token);
  }
}

/** By id or by its whole name; undefined if the key sees none. */
export async function findLibrary(api: ApiClient, name: string): Promise<Library | undefined> {
  if (UUID.test(name)) return api.find<Library>(`/v1/libraries/${name}`);
  const named = (await listLibraries(api, name)).filter((library) => library.name === name);
  if (named.length > 1)
    throw new CommandFailure(
      `${named.length} libraries are called '${name}'. Give an id: ${named.map(({ id }) => id).join(', ')}`,
    );
  return named[0];
}

export async function getLibrary(api: ApiClient, name: string): Promise<Library> {
  const found = await findLibrary(api, name);
  if (found) return found;
  const names = (await listLibraries(api)).slice(0, NAMES_SHOWN).map((library) => `'${library.name}'`);
  const hint =
    names.length > 0 ? `There are: ${names.join(', ')}.` : `Create it: npx tramontane library add '${name}' <file>`;
  throw new CommandFailure(`This key sees no library '${name}'. ${hint}`);
}

export async function findOrCreateLibrary(
  api: ApiClient,
  name: string,
  onCreated: (library: Library) => void,
): Promise<Library> {
  const found = await findLibrary(api, name);
  if (found) return found;
  if (UUID.test(name)) throw new CommandFailure(`This key sees no library with the id ${name}.`);
  const { data } = await api.send<Library>('POST', '/v1/libraries', { name });
  onCreated(data);
  return data;
}
