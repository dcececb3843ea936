import type { Newcomer } from './newcomer.ts';
import { chatModel, missingWeights, SLOW_MS, waitForReply } from './newcomer.ts';

const message = ({ page }: Newcomer) => page.getByRole('textbox', { name: 'Message' });

export async function firstChat(newcomer: Newcomer): Promise<void> {
  const { page, go } = newcomer;
  await go('Playground');
  await page.getByLabel('Model', { exact: true }).last().selectOption(chatModel);
  await page.getByText('Sampling', { exact: true }).click();
  await page.getByLabel('Max tokens').fill('12');
  await message(newcomer).fill('Say hello.');
  await message(newcomer).press('Enter');
  await waitForReply(page);
}

export async function addModelServer({ page, upstream, go, button, dialog }: Newcomer): Promise<void> {
  await go('Models');
  await button('Add model').click();
  await dialog().getByRole('radio', { name: /vLLM/ }).check();
  await dialog().getByLabel('Address', { exact: true }).fill(upstream.url);
  await dialog().getByRole('button', { name: 'Test connection' }).click();
  await dialog().getByText('Connected: one model.').waitFor();
  await dialog().getByLabel('Model on that server').fill('company-chat');
  await dialog().getByRole('button', { name: 'Add model' }).click();
  await page.getByText('company-chat is served.').waitFor();
  await page.getByRole('link', { name: 'company-chat', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'company-chat' }).waitFor();
}

export async function pullModel({ page, go, button }: Newcomer): Promise<void> {
  await go('Models');
  const row = page.getByRole('row').filter({ hasText: missingWeights });
  await row.getByText('Waiting for weights').waitFor();
  await button(`Download ${missingWeights}`).click();
  await row.getByText('Ready').waitFor({ timeout: SLOW_MS });
}

export async function compareModels(newcomer: Newcomer): Promise<void> {
  const { page, go, button } = newcomer;
  await go('Playground');
  await button('New').click();
  await page.getByLabel('Model', { exact: true }).last().selectOption(chatModel);
  await button('Compare').click();
  await page.getByLabel('Model', { exact: true }).last().selectOption('company-chat');
  await message(newcomer).fill('Where does the tramontane come from?');
  await message(newcomer).press('Enter');
  await page
    .getByLabel(/Responses of pane 2/)
    .getByText('from the north')
    .waitFor({ timeout: SLOW_MS });
  await waitForReply(page, 2);
}
