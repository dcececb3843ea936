import type { BrowserContext } from 'playwright-core';
import type { Shop } from './open-shop.ts';

const PASSWORD = 'a password for pictures';

/** Follows the link of the first start, with whatever the context serves as the console. */
export async function signInToShop(context: BrowserContext, { url, signInPath }: Shop): Promise<void> {
  const page = await context.newPage();
  await page.goto(new URL(signInPath, url).href);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.close();
}
