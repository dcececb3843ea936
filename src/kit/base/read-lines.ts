const NEWLINE = 10;
const SPACE = 32;

/** A longer line gets an error, unread. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

export type Line = { bytes: Uint8Array } | { tooLong: true };

/** The lines of a file that are not empty, however the content is chunked. */
export async function* readLines(content: AsyncIterable<Uint8Array>, bytesMax = LINE_BYTES_MAX): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const keep = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes <= bytesMax) pieces.push(piece);
    else pieces = [];
  };
  const take = (): Line | undefined => {
    const line: Line = bytes > bytesMax ? { tooLong: true } : { bytes: Buffer.concat(pieces) };
    pieces = [];
    bytes = 0;
    return 'bytes' in line && line.bytes.every((byte) => byte <= SPACE) ? undefined : line;
  };
  for await (const chunk of content) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line) yield line;
    }
    keep(chunk.subarray(start));
  }
  const last = take();
  if (last) yield last;
}
