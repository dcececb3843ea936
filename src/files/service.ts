import { randomBytes } from 'node:crypto';
import type { AuditActor, AuditLogEventType, AuditService } from '../audit/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { uuidv7 } from '../kit/base/ids.ts';
import { type Blobs, CONTENT_GRACE_MS, deletedContent, type OpenBlob, type StagedBlob } from '../kit/blobs/index.ts';
import { type Database, findCandidates, type Tx } from '../kit/db/index.ts';
import type { Scope, Upload } from '../kit/http/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import { actorOf } from '../tenants/index.ts';
import { fileErrors } from './errors.ts';
import type { FileSchema, FilesQuery, FileUpload, ListFilesResponse, SignedQuery } from './schema.ts';
import { isSigned, signDownload } from './sign-url.ts';
import {
  countFiles,
  deleteExpiredFiles,
  deleteFile,
  type FileFilter,
  type FileRow,
  findFile,
  findFileById,
  findFiles,
  findReferenced,
  insertFile,
  listFiles,
  listFilesAfter,
  searchedFiles,
  searchFiles,
  type Viewer,
} from './store.ts';

const HOUR_MS = 60 * 60 * 1000;
const URL_SECRET_BYTES = 32;
/** Longer than any upload takes from its last byte to its row, in any process that shares the directory. */
const UNREFERENCED_MS = HOUR_MS;

const SAMPLE_TYPES = { 'fine-tune': 'instruct', batch: 'batch_request', ocr: 'pretrain', audio: 'pretrain' } as const;
const LINE_FEED = 10;
const NAME_CHARACTERS_MAX = 255;
const MIMETYPE = /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}$/;
const CONTROL = /\p{Cc}/gu;

/** Purposes whose files are JSONL. */
const JSONL_PURPOSES: readonly FileSchema['purpose'][] = ['fine-tune', 'batch'];

/** Nothing more is known of the user of a download link. */
const LINK_HOLDER: AuditActor = { type: 'OTHER', metadata: { name: 'holder of a signed address' } };

export type StagedFile = StagedBlob & { lines: number };

export type NewFile = {
  filename: string;
  mimetype: string | null;
  purpose: FileSchema['purpose'];
  sample_type: FileSchema['sample_type'];
  source: FileSchema['source'];
  visibility: NonNullable<FileSchema['visibility']>;
  /** Undefined or null: never expires. */
  expiryHours?: number | null | undefined;
};

type AuditContext = { organization_id: string; workspace_id: string; actor: AuditActor };

export type OpenFile = { file: FileSchema; content: OpenBlob };

type FilesAfter = { after: string | undefined; order: 'asc' | 'desc'; limit: number };

export type FileService = {
  bytesMax: number;
  /** Writes content to disk; `upload` and `create` make it a file. */
  stage(content: AsyncIterable<Uint8Array>, bytesMax?: number): Promise<StagedFile>;
  upload(scope: Scope, fields: FileUpload, upload: Upload<StagedFile>): Promise<FileSchema>;
  /** For other rooms: a file that the platform itself created. */
  create(scope: Scope, attributes: NewFile, content: AsyncIterable<Uint8Array>): Promise<FileSchema>;
  list(scope: Scope, query: FilesQuery): Promise<ListFilesResponse>;
  /** In the order of creation, after a file or from the first one on. */
  listAfter(scope: Scope, filter: FileFilter, page: FilesAfter): Promise<FileSchema[]>;
  /** The newest ones whose name has the text, or whose id it is. */
  search(
    scope: Scope,
    text: string,
    limit: number,
  ): Promise<Pick<FileRow, 'id' | 'filename' | 'purpose' | 'created_at'>[]>;
  get(scope: Scope, id: string): Promise<FileSchema>;
  /** In the order of the ids, by one statement. */
  getAll(scope: Scope, ids: readonly string[]): Promise<FileSchema[]>;
  open(scope: Scope, id: string): Promise<OpenFile>;
  remove(scope: Scope, id: string): Promise<{ id: string; object: 'file'; deleted: true }>;
  /** A download link that needs no key. `origin` is used when the server has no public URL. */
  signUrl(scope: Scope, id: string, hours: number, origin: string): Promise<string>;
  openSigned(id: string, query: SignedQuery): Promise<OpenFile>;
  /** Deletes expired files. */
  expire(): Promise<void>;
  /** Removes those of these contents that no file has any more. */
  removeContent(sha256s: string[]): Promise<void>;
  /** Removes all content that no file has, such as that of uploads that were cut off. */
  prune(): Promise<void>;
};

export function createFileService(deps: {
  database: Database;
  audit: AuditService;
  blobs: Blobs;
  tasks: Tasks;
  now: Clock;
  bytesMax: number;
  publicUrl: string | undefined;
  /** Finds the audit log for a download without a key. */
  organizationOf: (workspaceId: string) => Promise<string | undefined>;
}): FileService {
  const { database, audit, blobs, tasks, now, bytesMax, publicUrl, organizationOf } = deps;
  const { db } = database;
  const isReferenced = (sha256s: string[]) => findReferenced(db, sha256s);

  const viewerOf = (scope: Scope): Viewer => ({
    workspaceId: scope.workspace_id,
    userId: scope.user_id,
    now: isoMicros(now),
  });

  /** The audit log gets the id of a file and not its name, which may be a secret. */
  function record(
    tx: Tx,
    context: AuditContext,
    event_type: Extract<AuditLogEventType, `file.${string}`>,
    { id, purpose, bytes }: FileRow,
    event_metadata: Record<string, string> = {},
  ): Promise<void> {
    const target_metadata = { id, purpose, bytes: String(bytes) };
    return audit.record(tx, { ...context, event_type, event_metadata, target_type: 'FILE', target_metadata });
  }

  async function find(scope: Scope, id: string): Promise<FileRow> {
    const row = await findFile(db, viewerOf(scope), id);
    if (!row) throw fileErrors.file_not_found(id);
    return row;
  }

  async function stage(content: AsyncIterable<Uint8Array>, limit = bytesMax): Promise<StagedFile> {
    const counted = countLines(content);
    const staged = await blobs.stage(counted.content, { bytesMax: limit });
    return { ...staged, lines: counted.lines() };
  }

  async function save(scope: Scope, attributes: NewFile, staged: StagedFile): Promise<FileSchema> {
    const { filename, mimetype, expiryHours, ...rest } = attributes;
    const nowMs = now();
    const name = cleanName(filename);
    const row: FileRow = {
      id: uuidv7(nowMs),
      workspace_id: scope.workspace_id,
      user_id: scope.user_id,
      filename: name,
      filename_folded: name.toLowerCase(),
      mimetype: cleanMimetype(mimetype),
      ...rest,
      bytes: staged.bytes,
      sha256: staged.sha256,
      num_lines: JSONL_PURPOSES.includes(rest.purpose) ? staged.lines : null,
      url_secret: randomBytes(URL_SECRET_BYTES).toString('base64url'),
      created_at: isoMicros(now),
      expires_at: expiryHours ? isoMicros(() => nowMs + expiryHours * HOUR_MS) : null,
    };
    // The content first, so that a row always has its content.
    await staged.publish();
    await database.transaction(async (tx) => {
      await insertFile(tx, row);
      await record(tx, auditContextOf(scope), 'file.create', row);
    });
    return toFile(row);
  }

  async function openRow(row: FileRow): Promise<OpenFile> {
    const content = await blobs.open(row.sha256);
    if (content) return { file: toFile(row), content };
    throw fileErrors.file_content_missing({
      cause: new Error(`The file ${row.id} has no content ${row.sha256} in the data dir of this server.`),
    });
  }

  return {
    bytesMax,
    stage,
    upload: (scope, { expiry, visibility, purpose = 'fine-tune' }, { filename, mimetype, content }) =>
      save(
        scope,
        {
          filename,
          mimetype,
          purpose,
          sample_type: SAMPLE_TYPES[purpose],
          source: 'upload',
          visibility,
          expiryHours: expiry,
        },
        content,
      ),
    async create(scope, attributes, content) {
      const staged = await stage(content);
      try {
        return await save(scope, attributes, staged);
      } finally {
        await staged.discard();
      }
    },
    async list(scope, { page, page_size, include_total, search, ...rest }) {
      const viewer = viewerOf(scope);
      const folded = search?.toLowerCase() || undefined;
      const among = await findCandidates(database, searchedFiles(scope.workspace_id), folded);
      const filter = { ...rest, search: folded, among };
      const rows = await listFiles(db, viewer, filter, { limit: page_size, offset: page * page_size });
      const total = include_total ? await countFiles(db, viewer, filter, (page + 1) * page_size) : null;
      return { object: 'list', data: rows.map(toFile), total };
    },
    async listAfter(scope, filter, { after, order, limit }) {
      const position = after === undefined ? undefined : await find(scope, after);
      return (await listFilesAfter(db, viewerOf(scope), filter, { position, order, limit })).map(toFile);
    },
    search: (scope, text, limit) => searchFiles(db, viewerOf(scope), text, limit),
    get: async (scope, id) => toFile(await find(scope, id)),
    async getAll(scope, ids) {
      const rows = new Map((await findFiles(db, viewerOf(scope), ids)).map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = rows.get(id);
        if (!row) throw fileErrors.file_not_found(id);
        return toFile(row);
      });
    },
    async open(scope, id) {
      const row = await find(scope, id);
      const opened = await openRow(row);
      await database.transaction((tx) => record(tx, auditContextOf(scope), 'file.read', row));
      return opened;
    },
    async remove(scope, id) {
      const row = await find(scope, id);
      const isDeleted = await database.transaction(async (tx) => {
        const done = await deleteFile(tx, row.workspace_id, row.id);
        if (!done) return false;
        await record(tx, auditContextOf(scope), 'file.delete', row);
        await tasks.enqueue(tx, deletedContent('files', [row.sha256], now()));
        return true;
      });
      if (!isDeleted) throw fileErrors.file_not_found(id);
      return { id: row.id, object: 'file', deleted: true };
    },
    async signUrl(scope, id, hours, origin) {
      const row = await find(scope, id);
      await database.transaction((tx) =>
        record(tx, auditContextOf(scope), 'file.share', row, { hours: String(hours) }),
      );
      const { expires, signature } = signDownload(row.url_secret, row.id, Math.floor(now() / 1000) + hours * 3600);
      return `${publicUrl ?? origin}/v1/files/${row.id}/download?expires=${expires}&signature=${signature}`;
    },
    async openSigned(id, query) {
      const row = await findFileById(db, id, isoMicros(now));
      // One error for every case, so that it does not reveal which files exist.
      if (!isSigned(row?.url_secret, id, query, now()) || !row) throw fileErrors.download_link_invalid();
      const opened = await openRow(row);
      const { workspace_id } = row;
      const organization_id = await organizationOf(workspace_id);
      if (organization_id) {
        const context = { organization_id, workspace_id, actor: LINK_HOLDER };
        await database.transaction((tx) => record(tx, context, 'file.read', row));
      }
      return opened;
    },
    async expire() {
      await database.transaction(async (tx) => {
        const sha256s = await deleteExpiredFiles(tx, isoMicros(now));
        if (sha256s.length > 0) await tasks.enqueue(tx, deletedContent('files', sha256s, now()));
      });
    },
    async removeContent(sha256s) {
      await blobs.collectSome(sha256s, { isReferenced, untouchedSince: new Date(now() - CONTENT_GRACE_MS) });
    },
    async prune() {
      const untouchedSince = new Date(now() - UNREFERENCED_MS);
      await blobs.collect({ isReferenced, untouchedSince });
      await blobs.sweep({ untouchedSince });
    },
  };
}

function auditContextOf(scope: Scope): AuditContext {
  return { organization_id: scope.organization_id, workspace_id: scope.workspace_id, actor: actorOf(scope) };
}

/** Counts lines while the content passes; a last line without a line feed counts too. */
function countLines(content: AsyncIterable<Uint8Array>): {
  content: AsyncIterable<Uint8Array>;
  lines: () => number;
} {
  let feeds = 0;
  let last = LINE_FEED;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      // A call for each line would cost 80 ns, also for empty ones.
      for (let at = 0; at < chunk.length; at++) if (chunk[at] === LINE_FEED) feeds++;
      last = chunk.at(-1) ?? last;
      yield chunk;
    }
  }
  return { content: counted(), lines: () => feeds + (last === LINE_FEED ? 0 : 1) };
}

/** Without folders and control characters, and of bounded length. */
function cleanName(filename: string): string {
  const name = filename.toWellFormed().split(/[/\\]/).at(-1)?.replace(CONTROL, '_') ?? '';
  return [...name].slice(0, NAME_CHARACTERS_MAX).join('') || 'file';
}

/** The type that the client sent, if it is well-formed; the content is not inspected. */
function cleanMimetype(mimetype: string | null): string | null {
  const type = mimetype?.toLowerCase() ?? '';
  return MIMETYPE.test(type) ? type : null;
}

function toFile(row: FileRow): FileSchema {
  const { id, bytes, filename, mimetype, purpose, sample_type, source, num_lines, visibility, sha256 } = row;
  return {
    id,
    object: 'file',
    bytes,
    created_at: secondsOf(row.created_at),
    filename,
    purpose,
    sample_type,
    num_lines,
    mimetype,
    source,
    signature: sha256,
    expires_at: row.expires_at === null ? null : secondsOf(row.expires_at),
    visibility,
  };
}

function secondsOf(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
