import { setTimeout as delay } from 'node:timers/promises';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import { type Context, type ExitCode, UsageError } from '../shell/command.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';
import { parseCount, splitList } from '../shell/parse-values.ts';
import { findOrCreateLibrary, getLibrary, type Library } from './find-library.ts';

type Place =
  | { type: 'folder'; path: string; ignore?: string[] }
  | { type: 'git'; url: string; branch?: string; folder?: string; ignore?: string[] }
  | { type: 'site'; url: string; pages_max?: number };
type Source = {
  id: string;
  place: Place;
  interval_seconds: number | null;
  status: 'waiting' | 'running' | 'done' | 'error';
  result: Record<string, number> | null;
  error: { code: string; message: string } | null;
  last_run_at: string | null;
  next_run_at: string | null;
};

const PAGES_MAX = 1000;
const SECONDS = { min: 300, max: 2_592_000 };
const POLL_MS = 250;

const pathOf = ({ id }: Pick<Library, 'id'>) => `/v1/libraries/${id}/sources`;
const nameOf = (place: Place) => (place.type === 'folder' ? place.path : place.url);
const listAll = async (api: ApiClient, library: Library) => (await api.get<{ data: Source[] }>(pathOf(library))).data;

export async function sources(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const library = await getLibrary(api, args.parameter('library'));
  const found = await listAll(api, library);
  const rows = found.map(({ id, place, status, last_run_at, next_run_at }) => [
    ...[nameOf(place), place.type, status, last_run_at ? formatTime(last_run_at) : '-'],
    ...[next_run_at ? formatTime(next_run_at) : '-', id],
  ]);
  const none = `'${library.name}' follows nothing. Begin: npx tramontane library follow '${library.name}' <folder|url>`;
  output.result(found, formatTable(['PLACE', 'TYPE', 'STATUS', 'LAST RUN', 'NEXT RUN', 'ID'], rows, none));
}

export async function follow(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  // Before anything is created.
  const body = { place: placeOf(context), interval_seconds: intervalOf(args.text('every') ?? '3600') };
  const api = openApi(context);
  const library = await findOrCreateLibrary(api, args.parameter('library'), ({ name, id }) =>
    output.note(`Created the library '${name}' (${id}).`),
  );
  const { data } = await api.send<Source>('POST', pathOf(library), body);
  return report(context, api, library, [data]);
}

export async function pull(context: Context): Promise<ExitCode> {
  const api = openApi(context);
  const library = await getLibrary(api, context.args.parameter('library'));
  const name = context.args.optionalParameter('source');
  const wanted = name === undefined ? await listAll(api, library) : [await getSource(api, library, name)];
  if (wanted.length === 0) throw new CommandFailure(`'${library.name}' follows nothing.`);
  const begun: Source[] = [];
  for (const { id } of wanted) begun.push((await api.send<Source>('POST', `${pathOf(library)}/${id}/run`, {})).data);
  return report(context, api, library, begun);
}

export async function unfollow(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const library = await getLibrary(api, args.parameter('library'));
  const source = await getSource(api, library, args.parameter('source'));
  const deletes = args.flag('delete');
  await api.fetch(`${pathOf(library)}/${source.id}?documents=${deletes ? 'delete' : 'keep'}`, { method: 'DELETE' });
  const rest = deletes ? 'Its documents are deleted too.' : 'Its documents stay.';
  output.result(
    { id: source.id, deleted: true },
    `'${library.name}' no longer follows ${nameOf(source.place)}. ${rest}`,
  );
}

function placeOf({ args }: Context): Place {
  const place = args.parameter('folder|url');
  const isUrl = /^https?:\/\//.test(place);
  const type = args.text('type') ?? (isUrl ? (/\.git\/?$/.test(place) ? 'git' : 'site') : 'folder');
  if ((type === 'folder') === isUrl)
    throw new UsageError(`A source of type ${type} needs ${isUrl ? 'a path' : 'an address'}.`);
  const ignored = splitList(args.text('ignore') ?? '');
  const ignore = ignored.length > 0 ? { ignore: ignored } : {};
  const [branch, folder, pages] = [args.text('branch'), args.text('folder'), args.text('pages')];
  if (type !== 'git' && (branch ?? folder) !== undefined)
    throw new UsageError('--branch and --folder are for git repositories.');
  if (type !== 'site' && pages !== undefined) throw new UsageError('--pages is for sites.');
  if (type === 'site' && ignored.length > 0) throw new UsageError('--ignore is for folders and git repositories.');
  if (type === 'folder') return { type, path: place, ...ignore };
  if (type === 'git') return { type, url: place, ...(branch && { branch }), ...(folder && { folder }), ...ignore };
  return { type: 'site', url: place, ...(pages && { pages_max: parseCount('--pages', pages, PAGES_MAX) }) };
}

const intervalOf = (text: string): number | null =>
  text === 'never' ? null : parseCount('--every', text, SECONDS.max, SECONDS.min);

/** By its id, or by what it follows. */
async function getSource(api: ApiClient, library: Library, name: string): Promise<Source> {
  const all = await listAll(api, library);
  const found = all.filter(({ id, place }) => id === name || nameOf(place) === name);
  if (found.length > 1)
    throw new CommandFailure(`Several sources are '${name}'. Give an id: ${found.map(({ id }) => id).join(', ')}`);
  if (found[0]) return found[0];
  throw new CommandFailure(`'${library.name}' does not follow '${name}'. See npx tramontane library sources.`);
}

/** Waits for the runs, unless nobody wants that. */
async function report(context: Context, api: ApiClient, library: Library, begun: Source[]): Promise<ExitCode> {
  const { args, output } = context;
  const ids = new Set(begun.map(({ id }) => id));
  let current = begun;
  while (!args.flag('no-wait') && current.some(({ status }) => status === 'waiting' || status === 'running')) {
    output.progress(`reading ${current.map(({ place }) => nameOf(place)).join(', ')} …`);
    await delay(POLL_MS);
    current = (await listAll(api, library)).filter(({ id }) => ids.has(id));
  }
  output.result(current, current.map(describe).join('\n'));
  return current.some(({ status }) => status === 'error') ? 1 : 0;
}

function describe({ place, status, result, error }: Source): string {
  if (status === 'error') return `${nameOf(place)}: could not be read. ${error?.message ?? ''}`;
  if (status !== 'done' || !result) return `${nameOf(place)}: ${status}`;
  const counts = Object.entries(result).filter(([, count]) => count > 0);
  return `${nameOf(place)}: ${counts.map(([what, count]) => `${count} ${what}`).join(', ') || 'is empty'}`;
}
