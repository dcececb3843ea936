/** Thrown by `put` once the content is known to exceed `bytesMax`; nothing is kept. */
export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`The content is larger than ${bytesMax} bytes.`);
    this.bytesMax = bytesMax;
  }
}

/** For `.catch`: a missing file becomes undefined, every other error is thrown again. */
export function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
