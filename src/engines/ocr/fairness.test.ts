import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inFull } from '../../../test/support/in-full.ts';
import { makePdf, newPage, SENTENCES, writeLines } from './documents-for-tests.ts';
import { openReading, PATIENCE_MS, plain, type Reading } from './reading-for-tests.ts';

const never = new AbortController().signal;
const textPages = (count: number) =>
  makePdf((pdf, { plain: font }) => {
    for (let i = 0; i < count; i++) writeLines(newPage(pdf), font, SENTENCES);
  });

/** A page of a few kilobytes that takes hours to paint: each form shows the next one ten times. */
function nestedForms(depth = 12): Buffer {
  const use = '/F Do '.repeat(10);
  const form = (number: number) => {
    const content = number === 3 + depth ? '0 0 9 9 re f' : use;
    return `${number} 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</F ${number + 1} 0 R>>>>/Length ${content.length}>>stream\n${content}\nendstream endobj\n`;
  };
  const forms = Array.from({ length: depth }, (_, i) => form(i + 4)).join('');
  return Buffer.from(
    `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</XObject<</F 4 0 R>>>>/Contents 99 0 R>>endobj\n99 0 obj<</Length 5>>stream\n/F Do\nendstream endobj\n${forms}trailer<</Root 1 0 R>>\n`,
  );
}

describe('two children', { timeout: PATIENCE_MS }, () => {
  let engine: Reading;
  beforeAll(() => {
    engine = openReading({ concurrency: 2, sliceMs: 0, waitingMax: 8, pageMs: 2500 });
  });
  afterAll(() => engine.close());
  const read = (tenant: string, document: Uint8Array, signal = never) => {
    const [organization = '', key = 'k'] = tenant.split('/');
    return engine.ocr?.read({ ...plain, document, tenant: { organization, key } }, signal) ?? Promise.reject();
  };

  it("a page of one key is read between the pages of another's long documents, which lose nothing", async () => {
    const [long, short] = [await textPages(12), await textPages(1)];
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const first = read('a/long', long);
    const second = read('a/long', long);
    const other = read('a/short', short);
    await Promise.all([first.then(note('long')), second.then(note('long')), other.then(note('short'))]);
    expect(order).toEqual(['short', 'long', 'long']);
    const { pages, pageCount } = await first;
    expect(pageCount).toBe(12);
    expect(pages.map(({ index }) => index)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(new Set(pages.map(({ markdown }) => markdown)).size).toBe(1);
    // One organization leaves a child for the others.
    expect(engine.pids()).toHaveLength(1);
  });

  inFull.it(
    'pages of four kilobytes that take hours are ended when their client left, and else after their time',
    async () => {
      const slow = nestedForms();
      expect(slow.length).toBeLessThan(4096);
      const leaving = new AbortController();
      const left = read('a', slow, leaving.signal);
      const [before] = engine.pids();
      const outcome = (reading: Promise<unknown>) =>
        reading.then(
          () => 'read',
          (error) => error.code,
        );
      const limited = outcome(read('a', slow));
      setTimeout(() => leaving.abort(new Error('the client left')), 100);
      await expect(left).rejects.toThrow('the client left');
      expect(engine.pids()).not.toContain(before);
      // Beside the second one, which runs until its limit.
      expect((await read('b', await textPages(1))).pages).toHaveLength(1);
      expect(await limited).toMatch(/^document_(too_slow|damaged)$/);
    },
  );

  it('a tenant with too many documents gets 429 and its position, while another may still wait', async () => {
    const document = await textPages(1);
    const mine = Array.from({ length: 3 }, () => read('a', document));
    await expect(read('a', document)).rejects.toMatchObject({
      status: 429,
      code: 'tenant_queue_full',
      message: expect.stringMatching(/2 would be served before this one/),
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    });
    expect((await read('b', document)).pages).toHaveLength(1);
    await Promise.all(mine);
  });
});
