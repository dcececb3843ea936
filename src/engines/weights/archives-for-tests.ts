import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

type Entry = { path: string; content: Buffer; isStored?: boolean; flags?: number };

/** A zip file, as a Python wheel is one. */
export function zipOf(entries: Entry[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content, isStored = false, flags = 0 } of entries) {
    const name = Buffer.from(path);
    const packed = isStored ? content : deflateRawSync(content);
    // From the flags to the length of the name: the same in both headers.
    const shared = Buffer.alloc(22);
    shared.writeUInt16LE(flags, 0);
    shared.writeUInt16LE(isStored ? 0 : 8, 2);
    shared.writeUInt32LE(crc32(content), 8);
    shared.writeUInt32LE(packed.length, 12);
    shared.writeUInt32LE(content.length, 16);
    shared.writeUInt16LE(name.length, 20);
    const extra = Buffer.from('extra of the local header');
    const local = Buffer.concat([
      Buffer.from('504b03041400', 'hex'),
      shared,
      uint16(extra.length),
      name,
      extra,
      packed,
    ]);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(offset, 12);
    directory.push(Buffer.concat([Buffer.from('504b010214001400', 'hex'), shared, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, central, end, Buffer.from(comment)]);
}

/** A gzipped tar file, as npm packs them. */
export function tgzOf(entries: Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, content }) => {
    const header = Buffer.alloc(512);
    const cut = path.length > 100 ? path.lastIndexOf('/', path.length - 2) : -1;
    header.write(path.slice(cut + 1), 0);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('0', 156);
    header.write('ustar\u000000', 257);
    if (cut > 0) header.write(path.slice(0, cut), 345);
    // The checksum counts its own eight bytes as spaces.
    header.fill(' ', 148, 156);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
