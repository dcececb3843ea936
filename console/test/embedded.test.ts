import { expect } from 'vitest';
import { chatWeightsForTests, testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import { inFull } from '../../test/support/in-full.ts';
import { chromiumPath } from './support/chromium.ts';
import { openConsole } from './support/open-console.ts';
import { shots } from './support/shots.ts';

const weights = chromiumPath ? await chatWeightsForTests() : undefined;

inFull
  .given(weights)
  .it(
    'with the embedded engine a model is shown as ready, answers in the playground, and then names its device',
    { timeout: 120_000 },
    async () => {
      const { page, at } = await openConsole({
        file: { models: [{ id: 'tiny', engine: 'llama', weights: weights?.id }] },
        environment: { TRAMONTANE_MODELS_DIR: testModelsDir },
      });
      await page.goto(at('/models'));
      const row = page.getByRole('row').filter({ hasText: 'tiny' });
      await row.getByText('Ready').waitFor();
      await row.getByText('llama', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: `Download ${weights?.id}` }).count()).toBe(0);
      await shots(page, 'models-embedded');
      await page.goto(at('/playground'));
      await page.getByLabel('Model', { exact: true }).last().selectOption('tiny');
      await page.getByText('Sampling', { exact: true }).click();
      await page.getByLabel('Max tokens').fill('4');
      await page.getByRole('textbox', { name: 'Message' }).fill('Say hello.');
      await page.getByRole('textbox', { name: 'Message' }).press('Enter');
      await page.getByText(/\d+ tokens in, \d+ out/).waitFor({ timeout: 60_000 });
      await shots(page, 'playground-embedded');
      await page.goto(at('/models'));
      await row.getByText(/^on the CPU$|^.+: \d+ of \d+ layers, .+ free$/).waitFor();
    },
  );
