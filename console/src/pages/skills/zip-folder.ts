import { bytesOf, type Folder, type FolderFile, SKILL_FILE } from './folder.ts';

const LOCAL_SIGNATURE = 0x04034b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const VERSION_NEEDED = 20;
/** Unix, so that the executable flag is applied. */
const MADE_BY = (3 << 8) | VERSION_NEEDED;
const UTF8_NAMES = 1 << 11;
/** A fixed date, the earliest in zip files: equal folders give equal bytes. */
const DATE = (1 << 5) | 1;
const [REGULAR, EXECUTABLE] = [0o100644, 0o100755];

/** An uncompressed zip with SKILL.md and the files in a folder named after the skill. */
export function zipFolder(name: string, folder: Folder): Uint8Array<ArrayBuffer> {
  const own: FolderFile = { path: SKILL_FILE, isExecutable: false, content: { text: skillMd(name, folder) } };
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const entries: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const file of [own, ...folder.files]) {
    const path = new TextEncoder().encode(`${name}/${file.path}`);
    const bytes = bytesOf(file);
    const common = [
      ...[u16(VERSION_NEEDED), u16(UTF8_NAMES), u16(0), u16(0), u16(DATE)],
      ...[u32(crc32(bytes)), u32(bytes.length), u32(bytes.length), u16(path.length), u16(0)],
    ];
    const mode = file.isExecutable ? EXECUTABLE : REGULAR;
    const local = join([u32(LOCAL_SIGNATURE), ...common, path]);
    const rest = [u16(0), u16(0), u16(0), u32(mode * 0x10000), u32(offset), path];
    entries.push(join([u32(ENTRY_SIGNATURE), u16(MADE_BY), ...common, ...rest]));
    pieces.push(local, bytes);
    offset += local.length + bytes.length;
  }
  const directory = join(entries);
  const count = u16(entries.length);
  const end = [u32(END_SIGNATURE), u16(0), u16(0), count, count, u32(directory.length), u32(offset), u16(0)];
  return join([...pieces, directory, ...end]);
}

/** JSON strings are valid YAML, so any description fits the front matter. */
function skillMd(name: string, { description, body }: Folder): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${body === '' ? '' : `\n${body}`}`;
}

function join(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const u16 = (value: number) => Uint8Array.of(value & 0xff, (value >> 8) & 0xff);
const u32 = (value: number) => join([u16(value & 0xffff), u16(value >>> 16)]);

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}
