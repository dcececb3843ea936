import { openApi } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';
import { listDocuments } from './documents.ts';
import { getLibrary, listLibraries } from './find-library.ts';

export async function list(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const name = args.optionalParameter('library');
  if (name !== undefined) {
    const documents = await listDocuments(api, (await getLibrary(api, name)).id);
    const rows = documents.map(({ id, name: title, process_status, number_of_pages, size }) => [
      ...[title, process_status, String(number_of_pages ?? '-'), size === null ? '-' : formatBytes(size), id],
    ]);
    output.result(documents, formatTable(['NAME', 'STATUS', 'PAGES', 'SIZE', 'ID'], rows, 'The library is empty.'));
    return;
  }
  const libraries = await listLibraries(api);
  const rows = libraries.map(({ id, name: title, nb_documents, total_size, updated_at }) => [
    ...[title, String(nb_documents), formatBytes(total_size), formatTime(updated_at), id],
  ]);
  const none = 'This key sees no library. Create one: npx tramontane library add <name> <file>';
  output.result(libraries, formatTable(['NAME', 'DOCUMENTS', 'SIZE', 'UPDATED', 'ID'], rows, none));
}

function formatBytes(bytes: number): string {
  const [unit, size] = bytes >= 1_000_000 ? ['MB', 1_000_000] : ['kB', 1000];
  return `${(bytes / Number(size)).toFixed(1)} ${unit}`;
}
