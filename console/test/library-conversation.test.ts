import { expect } from 'vitest';
import { makeSet } from '../../quality/retrieval/make-set.ts';
import { writeDocument } from '../../quality/retrieval/write-document.ts';
import { MULTILINGUAL_EMBEDDINGS_ID } from '../../src/engines/weights/catalogue.ts';
import { multilingualWeightsForTests, testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import { inFull } from '../../test/support/in-full.ts';
import { completion, json } from '../../test/support/upstream.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, openConsole } from './support/open-console.ts';

const DOCUMENTS = 20;
const LANGUAGES = ['en', 'de', 'fr'] as const;

type Message = { role: string; content: string };

/** What reads pages, and what embeds where its weights are here: as on a server without a file of settings. */
async function engines() {
  const embeddings = { engine: 'onnx', weights: MULTILINGUAL_EMBEDDINGS_ID, kind: 'embeddings' };
  return [
    { id: 'tesseract', engine: 'tesseract' },
    ...((await multilingualWeightsForTests()) ? [{ id: MULTILINGUAL_EMBEDDINGS_ID, ...embeddings }] : []),
  ];
}

/** Searches for what it is asked, and answers with what it was given to read. */
function reply(messages: Message[]): object {
  const { role, content } = messages.at(-1) as Message;
  if (role === 'tool') return completion(`Read: ${content.length > 0}`) as object;
  const call = { name: 'document_library', arguments: JSON.stringify({ query: content }) };
  const tool_calls = [{ id: 'abcdefgh1', type: 'function', function: call }];
  const message = { role: 'assistant', content: '', tool_calls };
  return { ...(completion('') as object), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
}

inFull.given(chromiumPath).describe('a conversation over twenty documents', () => {
  // Reading documents of twelve formats, some of them by OCR, takes a minute.
  inFull.it(
    'in three languages cites the document that has the answer each time, and the citation opens it',
    async () => {
      const { page, at, upstream } = await openConsole({
        more: await engines(),
        environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      });
      upstream.answerWith(({ body }, response) => json(response, 200, reply(body.messages as Message[])));
      const set = makeSet();
      const documents = set.documents.slice(0, DOCUMENTS);
      const names = new Map<string, string>();
      const files = [];
      for (const document of documents) {
        const { filename, bytes } = await writeDocument(document);
        names.set(document.id, filename);
        files.push({ name: filename, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });
      }
      await page.goto(at('/libraries'));
      await page.getByRole('button', { name: 'New library' }).first().click();
      await page.getByLabel('Name').fill('Company');
      await page.getByRole('button', { name: 'Create library' }).click();
      await page.getByRole('heading', { level: 1, name: 'Company' }).waitFor();
      const address = page.url();
      await page.getByLabel('Files').setInputFiles(files);
      const rows = page.getByRole('table', { name: 'Documents' }).locator('tbody').getByRole('row');
      const unready = async () => (await rows.allInnerTexts()).filter((row) => !row.includes('Ready'));
      await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(DOCUMENTS);
      await expect.poll(unready, { timeout: 240_000, interval: 500 }).toEqual([]);

      await page.goto(`${address}/ask`);
      await page.getByLabel('Model').selectOption(model);
      for (const language of LANGUAGES) {
        const question = set.questions.find(
          (asked) => asked.language === language && !asked.isCrossLingual && names.has(asked.documentId),
        );
        if (!question) throw new Error(`no question in ${language}`);
        await page.getByLabel('Question').fill(question.text);
        await page.getByLabel('Question').press('Enter');
        const turn = page.getByRole('log').getByRole('article').filter({ hasText: question.text });
        await turn.getByText('Read: true').waitFor();
        const title = documents.find(({ id }) => id === question.documentId)?.title ?? '';
        const sources = await turn.getByRole('list', { name: 'Sources' }).getByRole('link').allTextContents();
        const cites = (source: string) =>
          source.includes(title) || source.includes(names.get(question.documentId) ?? '');
        expect(sources.some(cites), `${question.text}: ${sources.join(' | ')}`).toBe(true);
      }
      await page.getByRole('list', { name: 'Sources' }).last().getByRole('link').first().click();
      await page.getByTestId('mark').first().waitFor();
    },
    360_000,
  );
});
