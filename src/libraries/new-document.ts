import { randomBytes } from 'node:crypto';
import { extensionOf } from '../engines/read/index.ts';
import { isoMicros } from '../kit/base/clock.ts';
import { uuidv7 } from '../kit/base/ids.ts';
import type { DocumentRow, LibraryRow } from './store/tables.ts';

const SECRET_BYTES = 32;
const NAME_CHARACTERS_MAX = 255;
const MIMETYPE = /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}$/;
const EXTENSION = /^[a-z0-9]{1,16}$/;
const CONTROL = /\p{Cc}/gu;

export type NewDocument = {
  name: string;
  mimetype: string | null;
  content: { sha256: string; bytes: number } | undefined;
  url?: string;
  parent?: Pick<DocumentRow, 'id' | 'depth'>;
  userId: string;
};

/** The row of a document that waits to be read. */
export function newDocument(library: LibraryRow, document: NewDocument, nowMs: number): DocumentRow {
  const { mimetype, content, url, parent, userId } = document;
  const name = cleanName(document.name);
  const extension = extensionOf(name);
  const type = mimetype?.toLowerCase().split(';')[0]?.trim() ?? '';
  return {
    id: uuidv7(nowMs),
    library_id: library.id,
    workspace_id: library.workspace_id,
    parent_id: parent?.id ?? null,
    depth: parent ? parent.depth + 1 : 0,
    name,
    name_folded: name.toLowerCase(),
    extension: name.includes('.') && EXTENSION.test(extension) ? extension : null,
    mime_type: MIMETYPE.test(type) ? type : null,
    bytes: content?.bytes ?? null,
    sha256: content?.sha256 ?? null,
    url: url ?? null,
    summary: null,
    attributes: null,
    expires_at: null,
    url_secret: randomBytes(SECRET_BYTES).toString('base64url'),
    process_status: 'todo',
    error_code: null,
    error_message: null,
    progress: null,
    number_of_pages: null,
    tokens_main: null,
    tokens_summary: null,
    uploaded_by_id: userId,
    created_at: isoMicros(() => nowMs),
    last_processed_at: null,
  };
}

/** Without control characters and of bounded length; folders of an archive stay. */
function cleanName(filename: string): string {
  const name = filename.toWellFormed().replaceAll('\\', '/').replace(CONTROL, '_').replace(/^\/+/, '');
  return [...name].slice(-NAME_CHARACTERS_MAX).join('') || 'document';
}
