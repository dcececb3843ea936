import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { degrees, drawGrid, type Fonts, makePdf, newPage, SENTENCES, writeLines } from './documents-for-tests.ts';
import { openReading, type Reading, readWith } from './reading-for-tests.ts';

let engine: Reading;
beforeAll(() => {
  engine = openReading();
});
afterAll(() => engine.close());

const [WIDTH, HEIGHT] = [595, 842];
const SIZE = 11;
type Place = { header?: string[]; footer?: string[]; body?: string[] };

/** Pages of A4 with lines at a distance from their upper and lower edges, and text between. */
function book(pages: Place[], { distance = 30, landscape = false } = {}): Promise<Uint8Array> {
  return makePdf((pdf, { plain }) => {
    for (const [at, { header = [], footer = [], body = bodyOf(at) }] of pages.entries()) {
      const page = landscape ? pdf.addPage([HEIGHT, WIDTH]) : newPage(pdf);
      const bottom = page.getHeight() - distance - SIZE;
      for (const [i, text] of header.entries()) writeLines(page, plain, [text], { top: distance, x: 60 + i * 300 });
      writeLines(page, plain, body, { top: 200 });
      for (const [i, text] of footer.entries()) writeLines(page, plain, [text], { top: bottom, x: 60 + i * 300 });
    }
  });
}

const bodyOf = (at: number) => [`Text of page ${at}:`, SENTENCES[at % SENTENCES.length] as string];
const range = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

/** What was taken for a header or a footer, by page. */
async function marginsOf(document: Uint8Array): Promise<string[][]> {
  const pages = await readWith(engine, document);
  return pages.map(({ blocks }) =>
    (blocks ?? []).filter(({ type }) => type === 'header' || type === 'footer').map(({ content }) => content),
  );
}
const none = (count: number) => range(count, () => []);

describe('a line is text', () => {
  const sentence = (at: number) => `Employees of department ${at + 1} have ${at + 21} days of vacation.`;

  it.each([30, 72, 120])('when it differs from others in digits only, %d points from an edge', async (distance) => {
    const count = 12;
    expect(
      await marginsOf(
        await book(
          range(count, (at) => ({ header: [sentence(at)] })),
          { distance },
        ),
      ),
    ).toEqual(none(count));
    expect(
      await marginsOf(
        await book(
          range(count, (at) => ({ footer: [sentence(at)] })),
          { distance },
        ),
      ),
    ).toEqual(none(count));
    const alone = range(count, (at) => ({ header: [sentence(at)], body: [] }));
    expect(await marginsOf(await book(alone, { distance }))).toEqual(none(count));
  });

  it.each([1, 2, 3])('when it differs from others in digits, in a document of %d pages', async (count) => {
    const pages = range(count, (at) => ({ header: [sentence(at)], footer: [`Total: ${1000 + at} euros`] }));
    expect(await marginsOf(await book(pages))).toEqual(none(count));
  });

  it('when it differs from others in one word', async () => {
    const cities = ['Lyon', 'Zurich', 'Turin', 'Ghent', 'Porto', 'Cork'];
    const pages = cities.map((city) => ({ header: [`The office in ${city} is open.`], footer: [`Signed in ${city}`] }));
    expect(await marginsOf(await book(pages))).toEqual(none(6));
  });

  it('when only the page beside it has it, or fewer than most', async () => {
    const pages = range(10, (at) => ({
      header: at === 4 || at === 5 ? ['The following applies:'] : [`Section ${'ABCDEFGHIJ'[at]}`],
    }));
    expect(await marginsOf(await book(pages))).toEqual(none(10));
    expect(await marginsOf(await book(range(3, (at) => ({ header: [`Part ${'ABC'[at]}`] }))))).toEqual(none(3));
  });

  it('when other text stands between it and the edge of the page', async () => {
    const document = await makePdf((pdf, { plain }) => {
      for (let at = 0; at < 6; at++) {
        const page = newPage(pdf);
        writeLines(page, plain, [sentence(at)], { top: 30 });
        writeLines(page, plain, ['Name of the employee:', 'Reason for the request:'], { top: 60 });
        writeLines(page, plain, SENTENCES, { top: 200 });
        writeLines(page, plain, ['Signature:'], { top: 780 });
        writeLines(page, plain, [`Form of ${['Ada', 'Bob', 'Cy', 'Dan', 'Eve', 'Flo'][at]}`], { top: 805 });
      }
    });
    expect(await marginsOf(document)).toEqual(none(6));
  });

  it('when it is the only line of its kind in a document of one page', async () => {
    expect(await marginsOf(await book([{ header: ['Invoice 4711'], footer: ['1987'] }]))).toEqual([[]]);
    expect(await marginsOf(await book([{ header: ['Confidential'], body: [] }]))).toEqual([[]]);
  });

  it('when it is a number that does not count the pages', async () => {
    const totals = ['310', '1500', '42', '7', '980', '64'];
    expect(await marginsOf(await book(totals.map((total) => ({ header: ['Sum of', total].slice(1) }))))).toEqual(
      none(6),
    );
    const invoices = range(6, (at) => ({ header: [`${4711 + at}`] }));
    expect(await marginsOf(await book(invoices))).toEqual(none(6));
  });

  it('when it heads a chapter, though chapters differ in their number only', async () => {
    const document = await makePdf((pdf, { plain, bold }) => {
      for (let number = 1; number <= 6; number++) {
        const page = newPage(pdf);
        writeLines(page, bold, [`Chapter ${number}`], { size: 20, top: 40 });
        writeLines(page, plain, SENTENCES, { top: 120 });
      }
    });
    expect(await marginsOf(document)).toEqual(none(6));
  });

  it('when it is the head of a table that goes on over the pages', async () => {
    const rows = (at: number) => [
      ['Name', 'Amount', 'City'],
      ...range(4, (row) => [`Person ${at}${row}`, `${at * 10 + row}.50`, 'Paris']),
    ];
    const ruled = await makePdf((pdf, { plain }) => {
      for (let at = 0; at < 6; at++) drawGrid(newPage(pdf), plain, rows(at), { top: 30 });
    });
    expect(await marginsOf(ruled)).toEqual(none(6));
    const aligned = await makePdf((pdf, { plain }) => {
      for (let at = 0; at < 6; at++) {
        const page = newPage(pdf);
        for (const [i, row] of rows(at).entries())
          for (const [j, cell] of row.entries()) writeLines(page, plain, [cell], { x: 60 + j * 140, top: 30 + i * 18 });
      }
    });
    expect(await marginsOf(aligned)).toEqual(none(6));
  });

  it('when it begins a column', async () => {
    const document = await makePdf((pdf, { plain }) => {
      for (let at = 0; at < 5; at++) {
        const page = newPage(pdf);
        const column = (side: string) => [
          `${side} ${at} begins here and`,
          'goes on below with',
          'more of the same',
          'for a few lines.',
        ];
        writeLines(page, plain, column('Left'), { top: 30 });
        writeLines(page, plain, column('Right'), { top: 30, x: 310 });
      }
    });
    expect(await marginsOf(document)).toEqual(none(5));
  });
});

describe('a line is a header or a footer', () => {
  it.each([2, 3, 4, 5, 12])('when all of %d pages have it', async (count) => {
    const pages = range(count, () => ({
      header: ['Annual report of the society'],
      footer: ['Printed on 3 March 2026, 10:31'],
    }));
    expect(await marginsOf(await book(pages))).toEqual(
      range(count, () => ['Annual report of the society', 'Printed on 3 March 2026, 10:31']),
    );
  });

  it('when most pages have it, though the first and one more do not', async () => {
    const has = (at: number) => at !== 0 && at !== 4;
    const pages = range(9, (at) => ({ header: has(at) ? ['Rules of the house'] : [] }));
    expect(await marginsOf(await book(pages))).toEqual(pages.map(({ header }) => header));
  });

  it('when left pages have it, and right pages that of their chapter', async () => {
    const chapter = (at: number) => `On ${at < 12 ? 'winds' : 'tides'}`;
    const pages = range(24, (at) => ({ header: [at % 2 === 0 ? 'The book of weather' : chapter(at)] }));
    expect(await marginsOf(await book(pages))).toEqual(pages.map(({ header }) => header));
  });

  it('when the pages of its chapter have it', async () => {
    const pages = range(12, (at) => ({ header: [`Chapter ${Math.floor(at / 4) + 1}`] }));
    expect(await marginsOf(await book(pages))).toEqual(pages.map(({ header }) => header));
  });

  it.each<[string, (page: number) => string[]]>([
    ['3', (page) => [`${page}`]],
    ['Page 3 of 12', (page) => [`Page ${page} of 8`]],
    ['Annual report Page 3 of 12', (page) => [`Annual report Page ${page} of 8`]],
    ['- 3 -', (page) => [`- ${page} -`]],
    ['iii', (page) => [['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii'][page - 1] as string]],
    ['Seite 3/12', (page) => [`Seite ${page}/8`]],
    ['3/12', (page) => [`${page}/8`]],
    ['3 | Annual report 2026', (page) => [`${page} | Annual report 2026`]],
    ['Annual report 2026 · 3', (page) => [`Annual report 2026 · ${page}`]],
    ['Annual report 2026, and 3 at the other side', (page) => ['Annual report 2026', `${page}`]],
  ])('when it numbers the pages as in "%s"', async (_name, numbered) => {
    const pages = range(8, (at) => ({ footer: numbered(at + 1) }));
    const expected = pages.map(({ footer }) => [footer.join(' ')]);
    expect(await marginsOf(await book(pages))).toEqual(expected);
    expect(await marginsOf(await book(pages.map(({ footer }) => ({ header: footer }))))).toEqual(expected);
  });

  it('when it numbers the pages after others that are not numbered, or numbered by letters', async () => {
    const front = ['', '', 'iii', 'iv', 'v', 'vi'];
    const pages = range(12, (at) => ({ footer: [front[at] ?? `${at - 5}`].filter(Boolean) }));
    expect(await marginsOf(await book(pages))).toEqual(pages.map(({ footer }) => footer));
  });

  it('when it says that it is the number of the page, also of a single page', async () => {
    expect(await marginsOf(await book([{ header: ['Notes'], footer: ['Page 1 of 1'] }]))).toEqual([['Page 1 of 1']]);
  });

  it('on pages that are wider than high, or turned', async () => {
    const pages = range(5, (at) => ({ header: ['Annual report of the society'], footer: [`Page ${at + 1}`] }));
    const expected = pages.map(({ header, footer }) => [...header, ...footer]);
    expect(await marginsOf(await book(pages, { landscape: true }))).toEqual(expected);
    const draw = (pdf: Parameters<Parameters<typeof makePdf>[0]>[0], { plain }: Fonts) => {
      for (const [at, { header, footer }] of pages.entries()) {
        // Written along the right edge of the sheet, which is the upper one once it is turned back.
        const page = newPage(pdf);
        page.setRotation(degrees(90));
        const line = (text: string, top: number) =>
          page.drawText(text, { x: top + SIZE, y: 60, size: SIZE, font: plain, rotate: degrees(90) });
        for (const text of header) line(text, 30);
        for (const [i, text] of bodyOf(at).entries()) line(text, 150 + i * 15);
        for (const text of footer) line(text, WIDTH - 30 - SIZE);
      }
    };
    expect(await marginsOf(await makePdf(draw))).toEqual(expected);
  });
});
