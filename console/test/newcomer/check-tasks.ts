import { expect } from 'vitest';
import { completion, json } from '../../../test/support/upstream.ts';
import { fileOf, type Newcomer, SLOW_MS } from './newcomer.ts';

export async function readPicture({ app, page, go }: Newcomer): Promise<void> {
  const scene = await app.newPage();
  await scene.setViewportSize({ width: 900, height: 240 });
  await scene.setContent('<p style="font: 64px serif; margin: 60px">Invoice number 4711</p>');
  const picture = await scene.screenshot();
  await scene.close();
  await page.bringToFront();
  await go('OCR');
  await page
    .getByLabel('Document')
    .last()
    .setInputFiles(fileOf('invoice.png', 'image/png', picture));
  await page
    .getByText(/Invoice number 4711/)
    .first()
    .waitFor({ timeout: SLOW_MS });
}

export async function trainClassifier({ go, button, dialog }: Newcomer): Promise<void> {
  const topics = {
    billing: ['The invoice is wrong', 'I was charged twice', 'Please refund my money', 'My card was declined'],
    shipping: ['Where is my parcel', 'The package has not arrived', 'The courier lost my box', 'Track my delivery'],
  };
  const examples = Object.entries(topics).flatMap(([label, texts]) =>
    texts.flatMap((text) =>
      ['today', 'again', 'please'].map((end) => JSON.stringify({ text: `${text} ${end}`, label })),
    ),
  );
  await go('Classifiers');
  await button('Train a classifier').first().click();
  await dialog().getByLabel('Name').fill('topics');
  await dialog()
    .getByLabel('Examples')
    .setInputFiles(fileOf('t.jsonl', 'application/jsonl', examples.join('\n')));
  await dialog().getByRole('button', { name: 'Start training' }).click();
  await button('Try').first().waitFor({ timeout: SLOW_MS });
  await button('Try').first().click();
  await dialog().getByLabel('Text').fill('Where is my parcel?');
  await dialog().getByRole('button', { name: 'Classify' }).click();
  await dialog().getByText('shipping').first().waitFor({ timeout: SLOW_MS });
  await dialog().getByRole('button', { name: 'Close' }).last().click();
}

export async function moderateText({ page, go, button }: Newcomer): Promise<void> {
  await go('Moderation');
  await page.getByLabel('Text', { exact: true }).fill('I will find you and kill you.');
  await button('Check text').click();
  await page.getByText(/^Blocked: .*[Vv]iolence/).waitFor({ timeout: SLOW_MS });
}

export async function transcribe({ app, page, go, button }: Newcomer): Promise<void> {
  const response = await fetch(`${app.server.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'espeak-ng', input: 'Good morning, everybody.', response_format: 'wav' }),
  });
  const { audio_data } = (await response.json()) as { audio_data: string };
  await go('Transcription');
  await page.getByLabel('Audio file').setInputFiles(fileOf('note.wav', 'audio/wav', Buffer.from(audio_data, 'base64')));
  await button('Transcribe').click();
  await page.getByLabel('Text at 0:00').waitFor({ timeout: SLOW_MS });
  expect(await page.getByLabel('Text at 0:00').inputValue()).toMatch(/\w/);
}

export async function stopAndResume({ page, upstream, go, button, dialog }: Newcomer): Promise<void> {
  const records = 12;
  const lines = Array.from({ length: records }, (_, n) =>
    JSON.stringify({ payload: { messages: [{ role: 'user', content: `Question ${n}` }] } }),
  );
  upstream.answerWith((_, response) => void setTimeout(() => json(response, 200, completion('An answer.')), 500));
  await go('Datasets');
  await button('New dataset').first().click();
  await dialog().getByLabel('Name').fill('Questions');
  await dialog().getByRole('button', { name: 'Create dataset' }).click();
  await page.getByRole('heading', { level: 1, name: 'Questions' }).waitFor();
  await page
    .getByLabel('File to import')
    .setInputFiles(fileOf('questions.jsonl', 'application/jsonl', lines.join('\n')));
  await page
    .getByText(`Question ${records - 1}`)
    .first()
    .waitFor({ timeout: SLOW_MS });
  await go('Evaluations');
  await button('New run').first().click();
  await dialog().getByLabel('Name of the evaluation').fill('Answers');
  await dialog().getByLabel('Dataset').selectOption({ label: 'Questions' });
  await dialog().getByRole('combobox', { name: 'Model' }).selectOption('company-chat');
  await dialog().getByLabel('Is valid JSON').check();
  await dialog().getByRole('button', { name: 'Start run' }).click();
  await button('Stop').click();
  await button('Resume').waitFor({ timeout: SLOW_MS });
  await button('Resume').click();
  await page.getByText(`${records} of ${records} answered`).waitFor({ timeout: SLOW_MS });
  await page.getByText('Completed', { exact: true }).waitFor({ timeout: SLOW_MS });
}
