import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { dialectErrors } from '../errors.ts';

/** `ends[n]` is where token n ends in `bytes`. A Buffer for each of 100,000 tokens would take 11 MB. */
type TokenTable = { bytes: Buffer; ends: Uint32Array };

let tokens: Promise<TokenTable> | undefined;

/**
 * The text of a list of tokens. Clients that cut long texts into tokens first do so with cl100k_base, whatever the model,
 * so that is how they are read.
 */
export async function decodeTokens(lists: readonly (readonly number[])[]): Promise<string[]> {
  tokens ??= readTable();
  const { bytes, ends } = await tokens;
  return lists.map((list) =>
    Buffer.concat(
      list.map((token) => {
        const end = ends[token];
        if (end === undefined) throw dialectErrors.token_unknown(token);
        return bytes.subarray(token === 0 ? 0 : ends[token - 1], end);
      }),
    ).toString('utf8'),
  );
}

/** Loaded by the first request that needs it: most servers never see one. */
async function readTable(): Promise<TokenTable> {
  const { cl100kTable } = await import('./cl100k-table.ts');
  // Each token comes after a byte with its length; here they follow each other.
  const bytes = await promisify(brotliDecompress)(Buffer.from(cl100kTable, 'base64'));
  const ends: number[] = [];
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] as number;
    bytes.copyWithin(end, at + 1, at + 1 + length);
    end += length;
    ends.push(end);
    at += 1 + length;
  }
  return { bytes, ends: Uint32Array.from(ends) };
}
