import type { Fault } from './check-path.ts';

export type AssetShape = { textContent: string } | { rawContent: string };

/** The bytes of a file, or the rule that its content breaks. */
export function decodeContent(asset: AssetShape): { bytes: Buffer } | Fault {
  if ('textContent' in asset) {
    if (asset.textContent.isWellFormed()) return { bytes: Buffer.from(asset.textContent, 'utf8') };
    return { rule: 'content-unicode', message: 'the text has half a surrogate pair; send other bytes as rawContent' };
  }
  const bytes = Buffer.from(asset.rawContent, 'base64');
  // Node skips invalid characters; only text that encodes back to itself is valid base64.
  if (bytes.toString('base64') === asset.rawContent) return { bytes };
  return { rule: 'content-base64', message: 'rawContent is not base64 (RFC 4648, with padding, without line breaks)' };
}
