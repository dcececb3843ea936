import { linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { testModelsDir } from '../../../src/engines/weights/weights-for-tests.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { startFakeMcp } from '../../../test/support/mcp-server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { type OpenConsole, openConsole } from '../support/open-console.ts';

export const chatModel = 'smollm2-135m-instruct';
/** What is not on the machine yet, so that the newcomer downloads it. */
export const missingWeights = 'use-multilingual-v3';
/** Generous: six other jobs may run on two cores, and models answer here. */
export const SLOW_MS = 150_000;
const DEFAULT_MS = 90_000;

/** Somebody who sees the console for the first time: uses only what has a visible name, and never an address. */
export type Newcomer = {
  app: OpenConsole;
  page: Page;
  /** A model server of the company, which the newcomer adds. */
  upstream: ScriptedUpstream;
  wiki: { url: string };
  /** Follows an entry of the navigation. */
  go(area: string): Promise<void>;
  /** Follows a tab of the organization's pages. */
  tab(name: string): Promise<void>;
  button(name: string | RegExp): Locator;
  dialog(): Locator;
  copied(): Promise<string>;
};

/** A started server as it is after the first start, with its own models. */
export async function welcome(): Promise<Newcomer> {
  const modelsDir = join(temporaryDir(), 'models');
  mkdirSync(modelsDir, { recursive: true });
  for (const name of readdirSync(testModelsDir))
    if (!name.startsWith(missingWeights)) linkSync(join(testModelsDir, name), join(modelsDir, name));
  const [upstream, wiki] = await Promise.all([startUpstream(), startFakeMcp([{ name: 'search_pages' }])]);
  upstream.answerWith(({ path }, response) =>
    path.endsWith('/models')
      ? json(response, 200, { data: [{ id: 'company-chat' }] })
      : json(response, 200, completion('The tramontane comes from the north.')),
  );
  const app = await openConsole({
    // The models of the program, as without a configuration file.
    // The tools of the company are in its own network.
    file: { models: undefined, outbound: { allow: ['127.0.0.1'] } },
    environment: {
      TRAMONTANE_MODELS_DIR: modelsDir,
      TRAMONTANE_MODELS_SEED_DIR: testModelsDir,
      TRAMONTANE_AUTO_PULL: 'off',
    },
  });
  const { page } = app;
  // Models and the browser share the machine.
  app.context.setDefaultTimeout(DEFAULT_MS);
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  return {
    ...{ app, page, upstream, wiki },
    async go(area) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: area, exact: true }).click();
      // Its first page may be called otherwise: Organization begins with its members.
      await heading(area === 'Organization' ? 'Members' : area);
    },
    async tab(name) {
      await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name, exact: true }).click();
      await heading(name);
    },
    button: (name) => page.getByRole('button', { name, exact: typeof name === 'string' }),
    dialog: () => page.getByRole('dialog'),
    copied: () => page.evaluate<string>('navigator.clipboard.readText()'),
  };
}

/** A file that the newcomer has on the computer. */
export const fileOf = (name: string, mimeType: string, content: string | Buffer) => ({
  ...{ name, mimeType, buffer: Buffer.from(content) },
});

/** The reply of the playground: with its tokens below. */
export async function waitForReply(page: Page, count = 1): Promise<void> {
  await expect
    .poll(() => page.getByText(/\d+ tokens in, \d+ out/).count(), { timeout: SLOW_MS })
    .toBeGreaterThanOrEqual(count);
}
