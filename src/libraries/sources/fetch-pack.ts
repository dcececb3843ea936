import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type Outbound, OutboundError, type OutboundResponse } from '../../kit/outbound/index.ts';
import { libraryErrors } from '../errors.ts';

/** Of the list of branches and tags. */
const REFS_BYTES_MAX = 16 * 1024 * 1024;
const OID = /^[0-9a-f]{40}$/;

/** The newest commit of a branch, and what the server can do. */
type RemoteHead = { commit: string; capabilities: ReadonlySet<string> };

/** Asks a repository for the commit of a branch; without a name, of its default branch. */
export async function findHead(
  outbound: Pick<Outbound, 'fetch'>,
  url: string,
  branch: string | undefined,
  signal: AbortSignal,
): Promise<RemoteHead> {
  const response = await request(outbound, `${url}/info/refs?service=git-upload-pack`, { signal });
  const lines = readLines(await collect(response.body, REFS_BYTES_MAX)).filter((line) => !line.startsWith('#'));
  const [names = '', capabilities = ''] = (lines[0] ?? '').split('\0');
  const known = new Set(capabilities.trim().split(' '));
  if (known.has('object-format=sha256'))
    throw libraryErrors.source_unreadable('Repositories with SHA-256 ids are not read.');
  const wanted = branch === undefined ? 'HEAD' : `refs/heads/${branch}`;
  const found = [names, ...lines.slice(1)].map((line) => line.trim().split(' ')).find(([, ref]) => ref === wanted);
  if (!found?.[0] || !OID.test(found[0]))
    throw libraryErrors.source_unreadable(
      branch === undefined
        ? 'The address is no git repository, or it is empty.'
        : `The repository has no branch '${branch}'.`,
    );
  return { commit: found[0], capabilities: known };
}

/** Writes the files of one commit, without its history, to a pack file. */
export async function fetchPack(
  outbound: Pick<Outbound, 'fetch'>,
  url: string,
  { commit, capabilities }: RemoteHead,
  { file, fileBytesMax, signal }: { file: string; fileBytesMax: number; signal: AbortSignal },
): Promise<void> {
  if (!capabilities.has('shallow')) throw libraryErrors.source_unreadable('The server sends whole histories only.');
  const filters = capabilities.has('filter');
  const body = Buffer.from(
    [
      line(`want ${commit} ofs-delta no-progress${filters ? ' filter' : ''} agent=tramontane\n`),
      line('deepen 1\n'),
      ...(filters ? [line(`filter blob:limit=${fileBytesMax}\n`)] : []),
      '0000',
      line('done\n'),
    ].join(''),
  );
  const type = 'application/x-git-upload-pack-request';
  const response = await request(outbound, `${url}/git-upload-pack`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
    signal,
  });
  await writePack(response.body, file);
}

/** Before the pack stand a few lines: which commits are cut off, and NAK. */
async function writePack(body: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const out = createWriteStream(file, { mode: 0o600 });
  let head: Buffer | undefined = Buffer.alloc(0);
  try {
    for await (const chunk of translated(body)) {
      let rest: Uint8Array = chunk;
      if (head) {
        head = Buffer.concat([head, chunk]);
        const at = packStart(head);
        if (at === undefined) continue;
        rest = head.subarray(at);
        head = undefined;
      }
      if (!out.write(rest)) await once(out, 'drain');
    }
    if (head) throw libraryErrors.source_unreadable('The server sent no files.');
  } finally {
    out.end();
    await finished(out);
  }
}

/** Where the pack begins; undefined while its beginning has not arrived. */
function packStart(bytes: Buffer): number | undefined {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.toString('latin1', at, at + 4);
    if (length === 'PACK') return at;
    if (!/^[0-9a-f]{4}$/.test(length) || at > 65_536)
      throw libraryErrors.source_unreadable('The server does not speak git.');
    const size = Number.parseInt(length, 16);
    if (at + Math.max(4, size) > bytes.length) return undefined;
    const text = bytes.toString('utf8', at + 4, at + size);
    if (text.startsWith('ERR '))
      throw libraryErrors.source_unreadable(`The server refused: ${text.slice(4, 204).trim()}`);
    at += Math.max(4, size);
  }
  return undefined;
}

function readLines(bytes: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.toString('latin1', at, at + 4);
    const size = /^[0-9a-f]{4}$/.test(length) ? Number.parseInt(length, 16) : -1;
    if (size < 0 || (size > 0 && size < 4)) throw libraryErrors.source_unreadable('The address is no git repository.');
    if (size > 4) lines.push(bytes.toString('utf8', at + 4, Math.min(bytes.length, at + size)));
    at += Math.max(4, size);
  }
  return lines;
}

const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;

async function request(
  outbound: Pick<Outbound, 'fetch'>,
  url: string,
  init: Parameters<Outbound['fetch']>[1],
): Promise<OutboundResponse> {
  const response = await outbound.fetch(url, init).catch((error: unknown) => {
    throw translate(error);
  });
  if (response.status === 200) return response;
  response.discard();
  throw libraryErrors.source_unreadable(`The repository answered ${response.status}.`);
}

async function* translated(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw translate(error);
  }
}

async function collect(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of translated(body)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw libraryErrors.source_unreadable('The repository has too many branches and tags.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function translate(error: unknown): unknown {
  return error instanceof OutboundError ? libraryErrors.source_unreadable(error.message, { cause: error }) : error;
}
