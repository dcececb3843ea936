import { describe, expect, it } from 'vitest';
import { LANGUAGES } from './languages.ts';
import { FORMATS, makeSet, type Question } from './make-set.ts';
import { ask, hasAnswer, measure } from './measure.ts';
import { writeDocument } from './write-document.ts';

const { documents, questions } = makeSet();

describe('the questions with known answers', () => {
  it('are several hundred, over documents of six languages and all formats, many in another language', () => {
    expect(questions.length).toBeGreaterThanOrEqual(400);
    expect(questions.filter(({ isCrossLingual }) => isCrossLingual).length).toBeGreaterThanOrEqual(150);
    for (const language of LANGUAGES) {
      expect(documents.filter((document) => document.language === language).length).toBeGreaterThanOrEqual(8);
      expect(questions.filter((question) => question.language === language).length).toBeGreaterThanOrEqual(50);
    }
    expect(new Set(documents.map(({ format }) => format))).toEqual(new Set(FORMATS));
    expect(makeSet()).toEqual({ documents, questions });
  });

  it('have their answer in their document, and no placeholder is left', () => {
    const byId = new Map(documents.map((document) => [document.id, document]));
    const lost = questions.filter(
      ({ documentId, answer }) => !byId.get(documentId)?.entries.some(({ statement }) => hasAnswer(statement, answer)),
    );
    expect(lost).toEqual([]);
    expect(JSON.stringify({ documents, questions })).not.toMatch(/\{[a-z]\}/);
  });

  it('are asked in other words: half of them or less share a word of five letters with the sentence', () => {
    const words = (text: string) => new Set(text.toLowerCase().match(/\p{L}{5,}/gu));
    const own = questions.filter(({ isCrossLingual }) => !isCrossLingual);
    const shared = own.filter(({ text, documentId, answer }) => {
      const entries = documents.find(({ id }) => id === documentId)?.entries ?? [];
      const statement = entries.find((entry) => hasAnswer(entry.statement, answer))?.statement ?? '';
      return words(text).intersection(words(statement)).size > 0;
    });
    expect(shared.length / own.length).toBeLessThan(0.5);
  });

  it('come as files that are what their names say', async () => {
    const starts = new Map<string, string>();
    for (const format of FORMATS) {
      const document = documents.find((candidate) => candidate.format === format);
      if (!document || format === 'png') continue;
      const { filename, bytes } = await writeDocument(document);
      expect(filename).toMatch(new RegExp(`\\.${format}$`));
      starts.set(format, Buffer.from(bytes.subarray(0, 4)).toString('latin1'));
    }
    for (const format of ['docx', 'pptx', 'xlsx', 'epub']) expect(starts.get(format)).toBe('PK\x03\x04');
    expect(starts.get('pdf')).toBe('%PDF');
  });
});

describe('the measures', () => {
  const question: Question = { text: '?', language: 'en', isCrossLingual: false, documentId: 'right', answer: '6' };
  const hit = (documentId: string, text: string) => ({ documentId, text });

  it.each([
    ['at the top, with the answer', [hit('right', 'It takes 6 weeks.')], { recall: 1, mrr: 1, cited: 1 }],
    ['second', [hit('other', '6'), hit('right', 'six')], { recall: 1, mrr: 0.5, cited: 0 }],
    ['another number', [hit('right', 'It takes 16 weeks.')], { recall: 1, mrr: 1, cited: 0 }],
    ['nothing', [], { recall: 0, mrr: 0, cited: 0 }],
    ['sixth', [...Array(5).fill(hit('other', '')), hit('right', '6')], { recall: 0, mrr: 0, cited: 0 }],
  ])('%s', async (_name, hits, expected) => {
    expect(measure(await ask([question], async () => hits, 'hybrid'))).toEqual({ questions: 1, ...expected });
  });
});
