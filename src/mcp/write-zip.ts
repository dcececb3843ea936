import { crc32 } from 'node:zlib';

export type ZipEntry = { path: string; content: Buffer; isExecutable: boolean };

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const UTF8_NAMES = 0x0800;
const UNIX = 3 << 8;
const VERSION = 20;
/** 1980-01-01, the earliest date of the format. */
const FIRST_DAY = 0x0021;

/**
 * The same files always give the same bytes, because the digest of the archive is published: nothing is compressed, and
 * no times are stored.
 */
export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { path, content, isExecutable } of entries) {
    const name = Buffer.from(path);
    const fields = fieldsOf(name, content);
    const local = Buffer.concat([number32(LOCAL_HEADER), fields, name, content]);
    central.push(
      number32(CENTRAL_HEADER),
      numbers16(VERSION | UNIX),
      fields,
      numbers16(0, 0, 0),
      number32(((isExecutable ? 0o100755 : 0o100644) << 16) >>> 0),
      number32(offset),
      name,
    );
    parts.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const count = entries.length;
  const end = [
    number32(END),
    numbers16(0, 0, count, count),
    number32(directory.length),
    number32(offset),
    numbers16(0),
  ];
  return Buffer.concat([...parts, directory, ...end]);
}

/** The fields that the local and the central header share; there is no extra field. */
function fieldsOf(name: Buffer, content: Buffer): Buffer {
  return Buffer.concat([
    numbers16(VERSION, UTF8_NAMES, 0, 0, FIRST_DAY),
    number32(crc32(content)),
    number32(content.length),
    number32(content.length),
    numbers16(name.length, 0),
  ]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function numbers16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}
