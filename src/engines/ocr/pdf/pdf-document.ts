import { Refusal } from '../../process/protocol.ts';
import type { PageContent } from '../layout/elements.ts';
import { areaOf, type Box, largestOf } from '../layout/geometry.ts';
import type { OpenedDocument, OpenedPage, Tools } from '../opened-document.ts';
import { type Bitmap, cutOut } from '../scan/bitmap.ts';
import { readScan } from '../scan/read-scan.ts';
import { openPdf } from './open-pdf.ts';
import type { PdfPage } from './pdf-page.ts';
import type { Pdfium } from './pdfium.ts';
import { readDrawings } from './read-drawings.ts';
import { readWords } from './read-words.ts';
import { renderPage } from './render-page.ts';

/** A text layer of fewer letters beside a picture of the whole page is a stamp on a scan. */
const STAMP_LETTERS_MAX = 60;
const WHOLE_PAGE = 0.6;
const UNKNOWN_MAX = 0.3;
/** For recognition a page is painted at half as many dots again: 300 to the inch. */
const RECOGNITION_FACTOR = 1.5;
/** Neighbours that are looked at before and after a page. */
const KEPT_PAGES = 8;

type Layer = { content: PageContent; links: string[]; dpi: number; needsRecognition: boolean };

export function openPdfDocument(
  pdfium: Pdfium,
  bytes: Uint8Array,
  { recognizer, pixelsMax }: Pick<Tools, 'recognizer' | 'pixelsMax'>,
): OpenedDocument {
  const pdf = openPdf(pdfium, bytes, pixelsMax);
  const layers = new Map<number, Layer>();

  function onPage<T>(index: number, work: (page: PdfPage) => T): T {
    const page = pdf.open(index);
    try {
      return work(page);
    } finally {
      page.close();
    }
  }

  function layerOf(index: number): Layer {
    let layer = layers.get(index);
    if (!layer) {
      layer = onPage(index, readLayer);
      layers.set(index, layer);
      if (layers.size > KEPT_PAGES) layers.delete(layers.keys().next().value as number);
    }
    return layer;
  }

  return {
    pageCount: pdf.pageCount,
    glance(index) {
      try {
        const { content, needsRecognition } = layerOf(index);
        return needsRecognition ? undefined : content;
      } catch (error) {
        // A damaged page does not keep the ones around it from being read.
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    },
    async read(index): Promise<OpenedPage> {
      const { content, links, dpi, needsRecognition } = layerOf(index);
      if (needsRecognition) {
        const painted = onPage(index, (page) => renderPage(page, RECOGNITION_FACTOR));
        const scan = await readScan(painted, dpi * RECOGNITION_FACTOR, await recognizer());
        const shrunk = shrink(scan.content, RECOGNITION_FACTOR);
        return { content: shrunk, links, dpi, cut: (box) => cutOut(scan.upright, grow(box, RECOGNITION_FACTOR)) };
      }
      let painted: Bitmap | undefined;
      const cut = (box: Box) => {
        painted ??= onPage(index, (page) => renderPage(page));
        return cutOut(painted, box);
      };
      return { content, links, dpi, cut };
    },
    close: pdf.close,
  };
}

function readLayer(page: PdfPage): Layer {
  const { width, height, dpi, links } = page;
  const { words, letters, unknownLetters } = readWords(page);
  const { rules, pictures, objects } = readDrawings(page);
  const largest = Math.max(0, largestOf(pictures.map(areaOf))) / (width * height);
  const needsRecognition =
    (letters === 0 && objects > 0) ||
    (letters <= STAMP_LETTERS_MAX && largest > WHOLE_PAGE) ||
    unknownLetters > UNKNOWN_MAX * letters;
  // Text that was recognized earlier lies over the scan itself, which is no picture of the page.
  const shown = pictures.filter((box) => areaOf(box) < WHOLE_PAGE * width * height);
  return { content: { width, height, words, rules, pictures: shown, isScan: false }, links, dpi, needsRecognition };
}

const grow = ({ x0, y0, x1, y1 }: Box, factor: number): Box => ({
  x0: x0 * factor,
  y0: y0 * factor,
  x1: x1 * factor,
  y1: y1 * factor,
});

function shrink(content: PageContent, factor: number): PageContent {
  return {
    ...content,
    width: Math.round(content.width / factor),
    height: Math.round(content.height / factor),
    words: content.words.map((word) => ({ ...word, box: grow(word.box, 1 / factor), size: word.size / factor })),
    rules: content.rules.map(({ isHorizontal, box }) => ({ isHorizontal, box: grow(box, 1 / factor) })),
    pictures: content.pictures.map((box) => grow(box, 1 / factor)),
  };
}
