import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import {
  degrees,
  drawGrid,
  errorRate,
  makeNoisy,
  makePdf,
  makePicture,
  newPage,
  paintPage,
  SENTENCES,
  writeLines,
} from './documents-for-tests.ts';
import type { OcrPage, OcrRequest } from './ocr-engine.ts';
import { openReading, PATIENCE_MS, type Reading, readWith, textOf } from './reading-for-tests.ts';

let engine: Reading;
beforeAll(() => {
  engine = openReading();
});
afterAll(() => engine.close());

const read = (document: Uint8Array, options: Partial<OcrRequest> = {}) => readWith(engine, document, options);
const typesOf = ([page]: OcrPage[]) => page?.blocks?.map(({ type }) => type);
const rows = [
  ['Name', 'Amount', 'City'],
  ['Anna Berg', '12.50', 'Paris'],
  ['Bob | Co', '7.25', 'Rome'],
];

describe('a born-digital PDF', () => {
  it('has titles by the size of their letters, lists, code, header and footer', async () => {
    const document = await makePdf((pdf, { plain: font, bold, mono }) => {
      for (let number = 1; number <= 3; number++) {
        const page = newPage(pdf);
        writeLines(page, font, ['Annual report of the society'], { top: 30, size: 9 });
        writeLines(page, font, [`Page ${number} of 3`], { top: 800, size: 9, x: 270 });
        let top = writeLines(page, bold, ['The great frost'], { size: 24, top: 80 });
        top = writeLines(page, font, SENTENCES.slice(0, 3), { top: top + 10 });
        top = writeLines(page, bold, ['What followed'], { size: 16, top: top + 14 });
        top = writeLines(page, font, ['• first point', '• second point'], { top: top + 14 });
        top = writeLines(page, font, ['1. one step', '2. another step'], { top: top + 14 });
        writeLines(page, mono, ['function main() {', '  return 42;', '}'], { top: top + 14 });
      }
    });
    const pages = await read(document, { extractHeader: true, extractFooter: true });
    expect(pages.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(pages[1]).toMatchObject({
      header: 'Annual report of the society',
      footer: 'Page 2 of 3',
      dimensions: { dpi: 200, width: 1653, height: 2339 },
      markdown: [
        '# The great frost',
        SENTENCES.slice(0, 3).join(' '),
        '## What followed',
        '- first point\n- second point',
        '1. one step\n2. another step',
        '```\nfunction main() {\n  return 42;\n}\n```',
      ].join('\n\n'),
    });
    expect(typesOf(pages)).toEqual(['header', 'title', 'text', 'title', 'list', 'list', 'code', 'footer']);
    const [whole] = await read(document, { pages: [[2, 2]] });
    expect(whole).toMatchObject({ index: 2, header: null, footer: null });
    expect(whole?.markdown).toMatch(/^Annual report[\s\S]*Page 3 of 3$/);
  });

  it('has its tables, ruled or only aligned, its pictures with captions, and its links', async () => {
    const document = await makePdf(async (pdf, { plain: font }) => {
      const page = newPage(pdf);
      writeLines(page, font, SENTENCES.slice(0, 2));
      drawGrid(page, font, rows);
      page.drawImage(await pdf.embedPng(makePicture()), { x: 100, y: 400, width: 200, height: 120 });
      writeLines(page, font, ['Figure 1: a sun over water'], { top: 455 });
      for (const [i, row] of [
        ['Item', 'Count'],
        ['Apples', '3'],
        ['Pears', '14'],
        ['Plums', '7'],
      ].entries())
        for (const [j, cell] of row.entries()) writeLines(page, font, [cell], { x: 60 + j * 140, top: 550 + i * 18 });
      writeLines(page, font, ['See https://example.org/report for more.'], { top: 650 });
    });
    const pages = await read(document, { includeImages: true });
    const [page] = pages;
    expect(typesOf(pages)).toEqual(['text', 'table', 'image', 'caption', 'table', 'text']);
    expect(page?.markdown).toContain(
      '| Name | Amount | City |\n| --- | --- | --- |\n| Anna Berg | 12.50 | Paris |\n| Bob \\| Co | 7.25 | Rome |',
    );
    expect(page?.markdown).toContain('| Item | Count |\n| --- | --- |\n| Apples | 3 |');
    expect(page?.markdown).toContain('![img-0.jpeg](img-0.jpeg)');
    expect(page?.hyperlinks).toEqual(['https://example.org/report']);
    const [image] = page?.images ?? [];
    expect(image).toMatchObject({ id: 'img-0.jpeg', top_left_x: 277, bottom_right_x: 834 });
    const jpeg = Buffer.from(image?.image_base64?.split(',')[1] ?? '', 'base64');
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: 'jpeg', width: 557, height: 334 });
    expect((await sharp(jpeg).stats()).dominant).toMatchObject({ b: expect.any(Number) });

    const [apart] = await read(document, { tableFormat: 'html', imageLimit: 0 });
    expect(apart?.images).toEqual([]);
    expect(apart?.markdown).toContain('[tbl-0.html](tbl-0.html)');
    expect(apart?.tables).toMatchObject([
      {
        id: 'tbl-0.html',
        format: 'html',
        content: expect.stringMatching(/^<table><tr><th>Name<\/th>.*<td>Rome<\/td><\/tr><\/table>$/),
      },
      { id: 'tbl-1.html' },
    ]);
    expect(apart?.blocks?.find(({ type }) => type === 'table')).toMatchObject({ table_id: 'tbl-0.html' });
    const [large] = await read(document, { imageMinSize: 400, tableFormat: 'markdown', includeBlocks: false });
    expect(large).toMatchObject({ images: [], blocks: null, tables: [{ id: 'tbl-0.md', format: 'markdown' }, {}] });
  });

  it('is certain of its text, word by word, block by block or for the page', async () => {
    const document = await makePdf((pdf, { plain: font }) => void writeLines(newPage(pdf), font, ['Two words']));
    expect(await read(document)).toMatchObject([{ confidence_scores: null, blocks: [{ confidence_scores: null }] }]);
    const scores = { average_page_confidence_score: 1, minimum_page_confidence_score: 1 };
    const words = [
      { text: 'Two', confidence: 1, start_index: 0 },
      { text: 'words', confidence: 1, start_index: 4 },
    ];
    expect(await read(document, { confidence: 'page' })).toMatchObject([{ confidence_scores: scores }]);
    expect(await read(document, { confidence: 'word' })).toMatchObject([
      { confidence_scores: { ...scores, word_confidence_scores: words } },
    ]);
    expect(await read(document, { confidence: 'block' })).toMatchObject([
      { blocks: [{ confidence_scores: { average_content_confidence_score: 1, minimum_content_confidence_score: 1 } }] },
    ]);
  });
});

/** Read and written down for docs/ocr.md. */
const half = (text: string) => text.match(/.{1,38}(\s|$)/g)?.map((line) => line.trim()) ?? [];
const four = SENTENCES.slice(0, 4);
const three = SENTENCES.slice(0, 3);
const scan = () => paintPage((paper) => void paper.lines(three), { height: 300 });
const turned = async (angle: number) =>
  sharp(await scan())
    .rotate(angle)
    .png()
    .toBuffer();
const mixed = ['Größe und Maß: über 30 Äpfel, süß.', 'Où est le garçon ? Là-bas, près du château.'];

type Case = [name: string, make: () => Promise<Uint8Array> | Uint8Array, truth: string, atMost: number];
const documents: Case[] = [
  [
    'text, born digital',
    () => makePdf((pdf, { plain: font }) => void writeLines(newPage(pdf), font, SENTENCES)),
    SENTENCES.join(' '),
    0,
  ],
  [
    'two columns, born digital',
    () =>
      makePdf((pdf, { plain: font, bold }) => {
        const page = newPage(pdf);
        const top = writeLines(page, bold, ['Two columns under one title'], { size: 20 }) + 10;
        writeLines(page, font, half(four.join(' ')), { top });
        writeLines(page, font, half(SENTENCES.slice(4).join(' ')), { top, x: 310 });
      }),
    `Two columns under one title ${SENTENCES.join(' ')}`,
    0,
  ],
  [
    'turned page, born digital',
    () =>
      makePdf((pdf, { plain: font }) => {
        const page = newPage(pdf);
        page.setRotation(degrees(90));
        writeLines(page, font, four);
      }),
    four.join(' '),
    0,
  ],
  ...[90, 270].map(
    (angle): Case => [
      `text turned by ${angle}°, born digital`,
      () =>
        makePdf((pdf, { plain: font }) => {
          const page = newPage(pdf);
          const place = (i: number) => (angle === 90 ? { x: 100 + i * 20, y: 60 } : { x: 500 - i * 20, y: 780 });
          for (const [i, text] of four.entries())
            page.drawText(text, { ...place(i), size: 11, font, rotate: degrees(angle) });
        }),
      four.join(' '),
      0,
    ],
  ),
  ['clean scan', scan, three.join(' '), 0.02],
  ['noisy scan, 2.5° askew', () => scan().then((png) => makeNoisy(png, { turn: 2.5 })), three.join(' '), 0.02],
  ['scan on its side', () => turned(90), three.join(' '), 0.02],
  [
    'two columns, scanned',
    () =>
      paintPage(
        (paper) => {
          paper.lines(half(four.slice(0, 2).join(' ')), { x: 60 });
          paper.lines(half(four.slice(2).join(' ')), { x: 720 });
        },
        { width: 1340, height: 420 },
      ),
    four.join(' '),
    0.02,
  ],
  [
    'German and French, read with English alone',
    () => paintPage((paper) => void paper.lines(mixed), { height: 260 }),
    mixed.join(' '),
    0.25,
  ],
];
const campaign: Case[] = [
  ['scan upside down', () => turned(180), three.join(' '), 0.02],
  ['scan on its other side', () => turned(270), three.join(' '), 0.02],
  [
    'small letters of 18 pixels',
    () => paintPage((paper) => void paper.lines(SENTENCES, { size: 18 }), { height: 400 }),
    SENTENCES.join(' '),
    0.02,
  ],
];

/** Every run has what is read without the recognizer, and one scan. */
const SHORT = new Set(documents.map(([name]) => name).filter((name) => name.includes('born') || name === 'clean scan'));

describe('character error rate', () => {
  it.each(
    rounds(
      documents.filter(([name]) => SHORT.has(name)),
      [...documents, ...campaign],
    ),
  )('%s', { timeout: PATIENCE_MS }, async (name, make, truth, atMost) => {
    const rate = errorRate(textOf(await read(await make())), truth);
    process.stdout.write(`character error rate, ${name}: ${(100 * rate).toFixed(2)} %\n`);
    expect(rate).toBeLessThanOrEqual(atMost);
  });

  it('a scanned table keeps its cells, a scanned picture its box', { timeout: PATIENCE_MS }, async () => {
    const [width, line] = [1100, 50];
    const document = await paintPage(
      (paper) => {
        paper.lines(['A table and a picture.'], { y: 60 });
        for (let row = 0; row <= 3; row++) paper.stroke(100, 100 + row * line, 1000, 100 + row * line);
        for (let column = 0; column <= 3; column++)
          paper.stroke(100 + column * 300, 100, 100 + column * 300, 100 + 3 * line);
        for (const [r, cells] of [...rows.slice(0, 2), ['Bob', '7.25', 'Rome']].entries())
          for (const [c, text] of cells.entries()) paper.lines([text], { x: 115 + c * 300, y: 136 + r * line });
        paper.rectangle(160, 320, 400, 160);
      },
      { width, height: 520 },
    );
    const pages = await read(document, { confidence: 'word' });
    expect(typesOf(pages)).toEqual(['text', 'table', 'image']);
    expect(pages[0]?.markdown).toContain(
      '| Name | Amount | City |\n| --- | --- | --- |\n| Anna Berg | 12.50 | Paris |',
    );
    const [image] = pages[0]?.images ?? [];
    expect(Math.abs((image?.top_left_x ?? 0) - 160)).toBeLessThan(20);
    expect(Math.abs((image?.bottom_right_y ?? 0) - 480)).toBeLessThan(20);
    const scores = pages[0]?.confidence_scores;
    expect(scores?.average_page_confidence_score).toBeGreaterThan(0.7);
    const [first] = scores?.word_confidence_scores ?? [];
    expect(pages[0]?.markdown.slice(first?.start_index).startsWith(first?.text ?? '?')).toBe(true);
  });

  it('a picture in each format is read, a TIFF with all its pages', { timeout: PATIENCE_MS }, async () => {
    const png = await paintPage((paper) => void paper.lines(['Seven words are written on this page.'], { y: 60 }), {
      width: 800,
      height: 100,
    });
    for (const document of [await sharp(png).webp().toBuffer(), await sharp(png).jpeg({ quality: 90 }).toBuffer()])
      expect(errorRate(textOf(await read(document)), 'Seven words are written on this page.')).toBeLessThanOrEqual(
        0.02,
      );
    const tiff = await sharp([png, png], { join: { animated: true } })
      .tiff()
      .toBuffer();
    expect((await read(tiff, { pages: [[1, 1]] })).map(({ index }) => index)).toEqual([1]);
  });
});
