import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePdf, newPage, paintPage, SENTENCES, writeLines } from '../../../src/engines/ocr/documents-for-tests.ts';
import { createOcrEngine, englishFile } from '../../../src/engines/ocr/index.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median } from '../statistics.ts';

const PAGES = 100;
const SECONDS_MAX = 5;
const RATIO_MAX = 1.2;
const never = new AbortController().signal;
const plain = { includeImages: false, extractHeader: true, extractFooter: true, includeBlocks: true };

type Engine = ReturnType<typeof createOcrEngine>;

export const ocr: Benchmark = {
  name: 'ocr',
  summary: 'a born-digital PDF of 100 pages, and a scanned page against the recognizer alone',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const engine = createOcrEngine({
          languageFiles: [englishFile()],
          concurrency: 1,
          memoryMib: 1024,
          pdfMemoryMib: 512,
          pageMs: 120_000,
          documentMs: 600_000,
          pagesMax: 1000,
          pixelsMax: 100_000_000,
          log: createLog('silent'),
        });
        try {
          progress('ocr: born-digital pages');
          const digital = await bornDigital(engine, quick ? 10 : PAGES, quick ? 1 : 3);
          progress('ocr: a scanned page');
          return [digital, await scanned(engine, start, directory, quick ? 1 : 3)];
        } finally {
          await engine.close();
        }
      }),
    ),
};

async function bornDigital(engine: Engine, pages: number, rounds: number): Promise<Figure> {
  const document = await makePdf((pdf, { plain: font, bold }) => {
    for (let number = 1; number <= pages; number++) {
      const page = newPage(pdf);
      writeLines(page, font, ['A book for the benchmark'], { top: 30, size: 9 });
      let top = writeLines(page, bold, [`Chapter ${number}`], { size: 20, top: 60 });
      for (let part = 0; part < 5; part++) top = writeLines(page, font, SENTENCES, { top: top + 12 });
      writeLines(page, font, [`${number}`], { top: 810, size: 9, x: 290 });
    }
  });
  const times: number[] = [];
  // The start of the reader counts: the first document of the day pays for it too.
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await engine.ocr?.read({ ...plain, document }, never);
    times.push((performance.now() - startedAt) / 1000);
  }
  return {
    name: `${pages} born-digital pages`,
    value: Math.max(...times),
    unit: 's',
    target: { at: '<', value: SECONDS_MAX },
    note: `the first in ${times[0]?.toFixed(2)} s, then ${Math.min(...times).toFixed(2)} s`,
  };
}

async function scanned(engine: Engine, start: StartChild, directory: string, rounds: number): Promise<Figure> {
  const file = join(directory, 'page.png');
  // A letter page at 200 dpi.
  writeFileSync(
    file,
    await paintPage((paper) => void paper.lines([...SENTENCES, ...SENTENCES, ...SENTENCES]), {
      width: 1654,
      height: 2339,
    }),
  );
  const bare = start(new URL('../processes/recognize-bare.ts', import.meta.url), { role: 'free' });
  const document = readFileSync(file);
  const ours = async () => {
    const startedAt = performance.now();
    await engine.ocr?.read({ ...plain, document }, never);
    return performance.now() - startedAt;
  };
  const theirs = () => bare.ask<number>('recognize', file);
  try {
    await ours();
    await theirs();
    const pairs: { ours: number; bare: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      pairs.push({ ours: await ours(), bare: await theirs() });
      pairs.push({ bare: await theirs(), ours: await ours() });
    }
    const [mine, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))];
    return {
      name: 'a scanned page vs the bare recognizer',
      value: median(pairs.map((pair) => pair.ours / pair.bare)),
      unit: '×',
      target: { at: '≤', value: RATIO_MAX },
      note: `${(mine / 1000).toFixed(2)} vs ${(other / 1000).toFixed(2)} s for 24 lines`,
    };
  } finally {
    await bare.end();
  }
}
