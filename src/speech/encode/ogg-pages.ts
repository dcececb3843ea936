const HEADER_BYTES = 27;
const SEGMENTS_MAX = 255;
const SEGMENT_BYTES = 255;
const FIRST = 2;
const LAST = 4;

const CHECKSUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x8000_0000 ? (sum << 1) ^ 0x04c1_1db7 : sum << 1;
  return sum;
});

/** Packets of one logical stream as pages of the Ogg container (RFC 3533). No packet spans pages. */
export type OggPages = {
  /** `position` is the stream's own count of time after the last of the packets. */
  page(packets: readonly Uint8Array[], position: number, end?: 'last'): Uint8Array;
};

export function createOggPages(serial: number): OggPages {
  let sequence = 0;
  return {
    page(packets, position, end) {
      const lacing = packets.flatMap(({ length }) => lacingOf(length));
      if (lacing.length > SEGMENTS_MAX) throw new Error(`${lacing.length} segments do not fit into a page`);
      const header = Buffer.alloc(HEADER_BYTES);
      header.write('OggS', 0, 'latin1');
      header[5] = (sequence === 0 ? FIRST : 0) | (end ? LAST : 0);
      header.writeBigUInt64LE(BigInt(position), 6);
      header.writeUInt32LE(serial, 14);
      header.writeUInt32LE(sequence++, 18);
      header[26] = lacing.length;
      const page = Buffer.concat([header, Buffer.from(lacing), ...packets]);
      page.writeInt32LE(checksumOf(page), 22);
      return page;
    },
  };
}

/** Whether these packets share a page, whose table has room for 255 segments. */
export function fitInPage(packets: readonly Uint8Array[]): boolean {
  return packets.reduce((sum, { length }) => sum + Math.floor(length / SEGMENT_BYTES) + 1, 0) <= SEGMENTS_MAX;
}

/** A segment shorter than 255 bytes, even an empty one, ends its packet. */
function lacingOf(length: number): number[] {
  return [...Array<number>(Math.floor(length / SEGMENT_BYTES)).fill(SEGMENT_BYTES), length % SEGMENT_BYTES];
}

function checksumOf(page: Uint8Array): number {
  let sum = 0;
  for (const byte of page) sum = (sum << 8) ^ (CHECKSUMS[((sum >>> 24) ^ byte) & 0xff] as number);
  return sum | 0;
}
