/** The type of a document by its first bytes; names and declared types are ignored. */
export type DocumentType = 'pdf' | 'png' | 'jpeg' | 'webp' | 'tiff';

export const MEDIA_TYPES: Record<DocumentType, string> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  tiff: 'image/tiff',
};

/** Readers of PDF look for the mark within the first kilobyte, after whatever a mail program put before it. */
const PDF_MARK_WITHIN = 1024;

export function sniffType(bytes: Uint8Array): DocumentType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, PDF_MARK_WITHIN)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'webp';
  if (['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(head.slice(0, 4))) return 'tiff';
  return head.includes('%PDF-') ? 'pdf' : undefined;
}
