import { existsSync, readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { PDFDocument } from 'pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { makePdf, makePicture, newPage, paintPage, SENTENCES, writeLines } from './documents-for-tests.ts';
import type { OcrRequest } from './ocr-engine.ts';
import { openReading, PATIENCE_MS, plain, type Reading, readWith, settings, textOf } from './reading-for-tests.ts';

let engine: Reading;
beforeAll(() => {
  engine = openReading();
});
afterAll(() => engine.close());

const read = (document: Uint8Array, options: Partial<OcrRequest> = {}) => readWith(engine, document, options);
const scan = () => paintPage((paper) => void paper.lines(SENTENCES.slice(0, 2), { y: 60 }), { height: 140 });

describe('bad input', () => {
  const refused = (code: string) => ({ status: 400, code });
  const pdfWith = (object: string, stream = Buffer.alloc(0)) => {
    const head = `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n`;
    return Buffer.concat([
      Buffer.from(`${head}${object}\nstream\n`),
      stream,
      Buffer.from('\nendstream endobj\ntrailer<</Root 1 0 R>>\n'),
    ]);
  };
  /** A page whose picture has so many pixels, all of them packed into a few kilobytes. */
  function bomb(side: number): Buffer {
    const rows = deflateSync(Buffer.alloc(1024 * 1024));
    return pdfWith(
      `3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</XObject<</I 4 0 R>>>>/Contents 5 0 R>>endobj\n5 0 obj<</Length 30>>stream\nq 600 0 0 800 0 0 cm /I Do Q\nendstream endobj\n4 0 obj<</Type/XObject/Subtype/Image/Width ${side}/Height ${side}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode/Length ${rows.length}>>`,
      rows,
    );
  }
  const contentBomb = () => {
    const stream = deflateSync(Buffer.from('q 1 0 0 1 0 0 cm Q\n'.repeat(rounds(100_000, 2_000_000))), { level: 9 });
    return pdfWith(
      `3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>endobj\n4 0 obj<</Filter/FlateDecode/Length ${stream.length}>>`,
      stream,
    );
  };
  const text = () => makePdf((pdf, { plain: font }) => void writeLines(newPage(pdf), font, SENTENCES));
  const manyPages = async (count: number) => {
    const pdf = await PDFDocument.create();
    for (let i = 0; i < count; i++) pdf.addPage([100, 100]);
    return pdf.save();
  };
  /** A header that says so many pixels; nothing behind it. */
  const hugePng = () =>
    sharp({ create: { width: 16, height: 16, channels: 3, background: '#fff' } })
      .png()
      .toBuffer()
      .then((png) => {
        png.writeUInt32BE(40_000, 16);
        png.writeUInt32BE(25_000, 20);
        return png;
      });

  it('an encrypted PDF is refused', async () => {
    const key = `<${'5a'.repeat(32)}>`;
    const locked = Buffer.from(
      `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n4 0 obj<</Filter/Standard/V 1/R 2/P -4/O ${key}/U ${key}>>endobj\ntrailer<</Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]>>\n`,
    );
    await expect(read(locked)).rejects.toMatchObject(refused('document_encrypted'));
  });

  it('what is cut off is refused, and so is what is no document at all', async () => {
    await expect(read((await text()).subarray(0, 60))).rejects.toMatchObject(refused('document_damaged'));
    const png = makePicture();
    await expect(read(png.subarray(0, png.length / 2))).rejects.toMatchObject(refused('document_damaged'));
    await expect(read(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).rejects.toMatchObject(
      refused('unsupported_document'),
    );
    await expect(read(Buffer.alloc(0))).rejects.toMatchObject(refused('unsupported_document'));
  });

  it('a range may end behind the last page, not begin there, and too many pages are refused with the number that may be read', async () => {
    await expect(
      read(await text(), {
        pages: [
          [0, 0],
          [3, 7],
        ],
      }),
    ).rejects.toMatchObject({
      ...refused('page_out_of_range'),
      message: 'The document has one page, counted from 0; there is no page 3.',
    });
    const long = await manyPages(rounds(1000, 10_000));
    await expect(read(long)).rejects.toMatchObject(refused('too_many_pages'));
    expect(await read(await text(), { pages: [[0, 9]] })).toMatchObject([{ index: 0 }]);
    expect(await read(long, { pages: [[998, 999]] })).toMatchObject([{ index: 998, markdown: '' }, { index: 999 }]);
  });

  it('a picture of a gigapixel is refused before it is unpacked', async () => {
    await expect(read(await hugePng())).rejects.toMatchObject({
      ...refused('image_too_large'),
      message: 'The picture has 1000 megapixels; it may have 30.',
    });
  });

  it('what swells when it is unpacked costs no more memory than there is for it, and the next document is read', {
    timeout: PATIENCE_MS,
  }, async () => {
    await expect(read(bomb(30_000))).rejects.toMatchObject({
      ...refused('image_too_large'),
      message: 'A picture in the PDF has 900 megapixels; it may have 30.',
    });
    // Nothing but empty orders: it takes its time, and no more memory than a page of text.
    expect(await read(contentBomb())).toMatchObject([{ markdown: '' }]);
    expect(peakMib(engine.pids()[0])).toBeLessThan(settings.memoryMib);
    expect(textOf(await read(await text()))).toBe(SENTENCES.join(' '));
  });

  it('a process that dies, is too slow or needs too much takes only its own document along', {
    timeout: PATIENCE_MS,
  }, async () => {
    const greedy = openReading({ memoryMib: 64 });
    await expect(readWith(greedy, await scan())).rejects.toMatchObject({ status: 400 });
    await greedy.close();
    const slow = openReading({ pageMs: 1 });
    await expect(readWith(slow, await text())).rejects.toMatchObject(refused('document_too_slow'));
    await slow.close();
    const reading = read(await scan());
    const [pid] = engine.pids();
    process.kill(pid as number, 'SIGKILL');
    await expect(reading).rejects.toMatchObject(refused('document_damaged'));
    expect(textOf(await read(await text()))).toBe(SENTENCES.join(' '));
  });

  it('more documents than may wait are refused, and who leaves makes room', async () => {
    const narrow = openReading({ waitingMax: 1, sliceMs: 0, documentMs: 1 });
    const document = await text();
    const leaving = new AbortController();
    const first = readWith(narrow, document);
    const second = narrow.ocr?.read({ ...plain, document }, leaving.signal);
    await expect(readWith(narrow, document)).rejects.toMatchObject({ status: 429 });
    const other = { tenant: { organization: 'other', key: 'k' } };
    await expect(readWith(narrow, document, other)).rejects.toMatchObject({ status: 503 });
    leaving.abort();
    await expect(second).rejects.toThrow();
    expect(await first).toHaveLength(1);
    expect(await readWith(narrow, document)).toHaveLength(1);
    // Longer than its pages may take together.
    await expect(readWith(narrow, await manyPages(3))).rejects.toMatchObject({
      ...refused('document_too_slow'),
      message: 'After 1 pages the document took too long to be read.',
    });
    await narrow.close();
  });

  it('one that nobody needs any more is ended', async () => {
    const idle = openReading({ idleMs: 1 });
    await readWith(idle, await text());
    const [pid] = idle.pids();
    while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await readWith(idle, await text())).toHaveLength(1);
    await idle.close();
  });
});

/** The most memory that a process has had; 0 where the system does not tell. */
function peakMib(pid: number | undefined): number {
  if (!existsSync(`/proc/${pid}/status`)) return 0;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function isRunning(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
}
