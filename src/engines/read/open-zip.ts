import { type Entry, fromBufferPromise } from 'yauzl';
import { Refusal } from '../process/protocol.ts';

/** Office programs and books write hundreds at most. */
const ENTRIES_MAX = 20_000;
/** One part of a document as text; what is larger would not fit into memory with its blocks. */
const PART_BYTES_MAX = 96 * 1024 * 1024;

export type Zip = {
  names: readonly string[];
  has(name: string): boolean;
  /** Undefined when there is no such entry. */
  read(name: string): Promise<Buffer | undefined>;
  /** The entry as XML, which must not declare entities. */
  readXml(name: string): Promise<string | undefined>;
};

/** The entries of a zip file in memory. Whatever is unpacked counts, so that none can grow without end. */
export async function openZip(bytes: Uint8Array, unpackedBytesMax: number, entriesMax = ENTRIES_MAX): Promise<Zip> {
  const file = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).catch(damaged);
  if (file.entryCount > entriesMax)
    throw new Refusal('archive_too_large', `The file holds ${file.entryCount} entries; ${entriesMax} are the limit.`);
  const entries = new Map<string, Entry>();
  let unpacked = 0;
  try {
    for await (const entry of file.eachEntry()) if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
  } catch (error) {
    damaged(error);
  }

  async function read(name: string): Promise<Buffer | undefined> {
    const entry = entries.get(name);
    if (!entry) return undefined;
    if (entry.isEncrypted()) throw new Refusal('document_encrypted', 'The file needs a password.');
    if (![0, 8].includes(entry.compressionMethod))
      throw new Refusal('unsupported_document', 'The file is compressed in a way that is not read here.');
    const chunks: Buffer[] = [];
    let bytesOf = 0;
    try {
      for await (const chunk of (await file.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
        bytesOf += chunk.length;
        unpacked += chunk.length;
        if (unpacked > unpackedBytesMax || bytesOf > PART_BYTES_MAX) throw tooLarge(unpackedBytesMax);
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof Refusal) throw error;
      damaged(error);
    }
    return Buffer.concat(chunks);
  }

  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    read,
    async readXml(name) {
      const content = await read(name);
      if (!content) return undefined;
      const isWide = content[0] === 0xff && content[1] === 0xfe;
      const xml = content.toString(isWide ? 'utf16le' : 'utf8');
      if (/<!ENTITY/i.test(xml))
        throw new Refusal('document_damaged', 'The file declares entities, which are not expanded.');
      return xml;
    },
  };
}

function tooLarge(unpackedBytesMax: number): Refusal {
  const mebibytes = Math.floor(unpackedBytesMax / 1024 / 1024);
  return new Refusal(
    'archive_too_large',
    `The file unpacks to more than ${mebibytes} MiB, or one part of it to 96 MiB.`,
  );
}

function damaged(cause: unknown): never {
  throw new Refusal('document_damaged', 'The file cannot be unpacked: it is damaged, or not complete.', { cause });
}
