import type { AssetShape } from './shape.ts';

type Read = { bytes: Buffer } | { rule: string; message: string };

/** The bytes of a file, or why they cannot be had. */
export function readContent(asset: AssetShape): Read {
  if ('textContent' in asset) {
    if (asset.textContent.isWellFormed()) return { bytes: Buffer.from(asset.textContent, 'utf8') };
    return { rule: 'content-unicode', message: 'the text has half a surrogate pair; send other bytes as rawContent' };
  }
  const bytes = Buffer.from(asset.rawContent, 'base64');
  // Node skips what it cannot read; only text that comes out the same was base64, padding and last bits included.
  if (bytes.toString('base64') === asset.rawContent) return { bytes };
  return { rule: 'content-base64', message: 'rawContent is not base64 (RFC 4648, with padding, without line breaks)' };
}
