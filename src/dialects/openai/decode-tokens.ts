import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { dialectErrors } from '../errors.ts';

let tokens: Promise<Buffer[]> | undefined;

/**
 * The text of a list of tokens. Clients that cut long texts into tokens first do so with cl100k_base, whatever the model,
 * so that is how they are read.
 */
export async function decodeTokens(lists: readonly (readonly number[])[]): Promise<string[]> {
  tokens ??= readTable();
  const known = await tokens;
  return lists.map((list) =>
    Buffer.concat(
      list.map((token) => {
        const bytes = known[token];
        if (!bytes) throw dialectErrors.token_unknown(token);
        return bytes;
      }),
    ).toString('utf8'),
  );
}

/** Loaded by the first request that needs it: most servers never see one. */
async function readTable(): Promise<Buffer[]> {
  const { cl100kTable } = await import('./cl100k-table.ts');
  const bytes = await promisify(brotliDecompress)(Buffer.from(cl100kTable, 'base64'));
  const read: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] as number;
    read.push(bytes.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return read;
}
