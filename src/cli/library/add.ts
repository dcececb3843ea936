import { stat } from 'node:fs/promises';
import { codeOf } from '../../kit/base/error-code.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { type Document, describeDocument, uploadDocument, waitUntilRead } from './documents.ts';
import { findOrCreateLibrary } from './find-library.ts';

export async function add(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const given = args.parameters('file|url');
  // Before anything is created.
  for (const one of given) if (!isAddress(one)) await refuseFolder(one, args.parameter('library'));
  const api = openApi(context);
  const library = await findOrCreateLibrary(api, args.parameter('library'), ({ name, id }) =>
    output.note(`Created the library '${name}' (${id}).`),
  );
  const added: Document[] = [];
  for (const one of given) {
    output.progress(`sending ${one} …`);
    if (isAddress(one)) {
      const body = { url: one, scope: args.flag('site') ? 'site' : 'page' };
      added.push((await api.send<Document>('POST', `/v1/libraries/${library.id}/web-documents`, body)).data);
      continue;
    }
    const { document, isNew } = await uploadDocument(api, library.id, one);
    if (!isNew) output.note(`${one}: the library has this content already, as '${document.name}'.`);
    added.push(document);
  }
  const documents = args.flag('no-wait')
    ? added.map((document) => ({ ...document, reason: null }))
    : await waitUntilRead(api, library.id, added, (text) => output.progress(text));
  const lines = args.flag('no-wait')
    ? documents.map(({ name }) => `${name}: sent`)
    : documents.map((document) => describeDocument(document));
  output.result({ library_id: library.id, documents }, lines.join('\n'));
  return documents.some(({ processing_status }) => processing_status === 'Failed') ? 1 : 0;
}

const isAddress = (text: string) => /^https?:\/\//.test(text);

async function refuseFolder(file: string, library: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    throw new CommandFailure(`${file} cannot be read (${codeOf(error)}).`);
  });
  if (found.isDirectory())
    throw new CommandFailure(
      `${file} is a folder. Keep a library in step with it: npx tramontane library sync '${library}' '${file}'`,
    );
}
