import sharp from 'sharp';
import { Refusal } from '../process/protocol.ts';
import type { OpenedDocument, Tools } from './opened-document.ts';
import { openPdfDocument } from './pdf/pdf-document.ts';
import { type Bitmap, cutOut, toBitmap } from './scan/bitmap.ts';
import { readScan } from './scan/read-scan.ts';
import { type DocumentType, sniffType } from './sniff-type.ts';
import { tooManyPixels } from './too-many-pixels.ts';

const MEGAPIXEL = 1_000_000;
/** More than the sharpest scanner makes of a page; larger pictures are made smaller while they are read. */
const PAGE_PIXELS_MAX = 24 * MEGAPIXEL;
const DPI = 200;
/** A lower resolution is what programs write that know none. */
const DPI_MIN = 70;

export async function openDocument(bytes: Uint8Array, tools: Tools): Promise<OpenedDocument> {
  const type = sniffType(bytes);
  if (!type)
    throw new Refusal('unsupported_document', 'The document is neither a PDF nor a PNG, JPEG, WebP or TIFF picture.');
  return type === 'pdf' ? openPdfDocument(await tools.pdfium(), bytes, tools) : openPicture(bytes, type, tools);
}

async function openPicture(
  bytes: Uint8Array,
  type: DocumentType,
  { recognizer, pixelsMax }: Tools,
): Promise<OpenedDocument> {
  // No file of the vast kinds is decoded before its size is known.
  const options = { limitInputPixels: false, failOn: 'error' } as const;
  const {
    width = 0,
    height = 0,
    pages = 1,
    density,
  } = await sharp(bytes, options)
    .metadata()
    .catch(() => {
      throw damaged(type);
    });
  const pixels = width * height;
  if (pixels > pixelsMax) throw tooManyPixels('The picture', pixels, pixelsMax);
  const dpi = density && density >= 50 ? Math.round(density) : DPI;
  return {
    pageCount: type === 'tiff' ? pages : 1,
    glance: () => undefined,
    async read(index) {
      const image = sharp(bytes, { ...options, page: index })
        .autoOrient()
        .flatten({ background: '#fff' })
        .toColourspace('srgb');
      const factor = Math.min(1, Math.sqrt(PAGE_PIXELS_MAX / pixels));
      const small =
        factor < 1
          ? image.resize({ width: Math.floor(width * factor), height: Math.floor(height * factor), fit: 'inside' })
          : image;
      const page: Bitmap = await toBitmap(small).catch(() => {
        throw damaged(type);
      });
      const known = density && density >= DPI_MIN ? Math.round(density * factor) : undefined;
      const { content, upright } = await readScan(page, known, await recognizer());
      return { content, dpi: Math.round(dpi * factor), links: [], cut: (box) => cutOut(upright, box) };
    },
    close: () => undefined,
  };
}

function damaged(type: DocumentType): Refusal {
  return new Refusal(
    'document_damaged',
    `The ${type.toUpperCase()} picture cannot be read: it is damaged, or not complete.`,
  );
}
