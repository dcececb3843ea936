import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { inFull } from '../../test/support/in-full.ts';
import { chromiumPath } from './support/chromium.ts';
import { model, type OpenConsole, openConsole } from './support/open-console.ts';

const LONG_MS = 60_000;
const SAID = 'This has characters that are not allowed here.';

type Form = {
  /** Where it is, and the button that opens it. */
  at: string;
  open: string;
  /** What is typed or chosen so that it can be sent. */
  fill?: Record<string, string>;
  prepare?: (page: Page) => Promise<void>;
  send: string;
  /** The inputs that show what is wrong with them. */
  shows: string[];
};

/** Dialogs that send something: the server refuses every value, and each input says so. */
const forms: Form[] = [
  { at: '/prompts', open: 'New prompt', fill: { Name: 'a', Text: 'b' }, send: 'Create', shows: ['Name', 'Text'] },
  {
    at: '/libraries',
    open: 'New library',
    fill: { Name: 'a', Description: 'b' },
    send: 'Create library',
    shows: ['Name', 'Description', 'Who may use it'],
  },
  {
    at: '/connectors',
    open: 'Add connector',
    fill: { Name: 'a', Address: 'https://example.com' },
    send: 'Add',
    shows: ['Name', 'Address', 'Who may use it'],
  },
  { at: '/webhooks', open: 'New webhook', fill: { Name: 'a' }, send: 'Create webhook', shows: ['Provider', 'Name'] },
  {
    at: '/notifications',
    open: 'New endpoint',
    fill: { Address: 'https://example.com', Description: 'b' },
    send: 'Create endpoint',
    shows: ['Address', 'Description'],
  },
  {
    at: '/datasets',
    open: 'New dataset',
    fill: { Name: 'a name', Description: 'b' },
    send: 'Create dataset',
    shows: ['Name', 'Description'],
  },
  {
    at: '/judges',
    open: 'New judge',
    fill: { Name: 'a name', Instructions: 'b' },
    prepare: async (page) => void (await page.getByLabel('Model', { exact: true }).selectOption(model)),
    send: 'Create judge',
    shows: ['Name', 'Model', 'Instructions', 'Answers'],
  },
  {
    at: '/organization',
    open: 'Invite',
    fill: { 'E-mail addresses': 'ann@example.com' },
    send: 'Invite',
    shows: ['E-mail addresses', 'Role in the organization'],
  },
  { at: '/organization/workspaces', open: 'New workspace', fill: { Name: 'a' }, send: 'Create', shows: ['Name'] },
  { at: '/organization/groups', open: 'New group', fill: { Name: 'a' }, send: 'Create', shows: ['Name'] },
  {
    at: '/organization/service-accounts',
    open: 'New service account',
    fill: { Name: 'a', Description: 'b' },
    send: 'Create',
    shows: ['Name', 'Description'],
  },
  {
    at: '/organization/api-keys',
    open: 'New API key',
    prepare: async (page) => {
      await page.getByText('Rate and budget').click();
      await page.getByRole('dialog').getByLabel('Requests per second').fill('2');
      await page.getByRole('dialog').getByLabel('Tokens per minute').fill('2');
      await page.getByRole('dialog').getByLabel('Monthly budget').fill('2');
    },
    send: 'Create',
    shows: ['Name', 'Expires', 'Requests per second', 'Tokens per minute', 'Monthly budget'],
  },
  { at: '/organization/admin-keys', open: 'New admin key', send: 'Create', shows: ['Name', 'Expires'] },
  {
    at: '/models',
    open: 'Add model',
    prepare: async (page) => {
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /Other server/ }).check();
      await dialog.getByLabel('Address', { exact: true }).fill('https://example.com/v1');
      await dialog.getByLabel('API key', { exact: true }).fill('k');
      await dialog.getByLabel('Name here').fill('mine');
      await dialog.getByText('Aliases, context, prices').click();
      await dialog.getByLabel('Aliases').fill('fast');
      await dialog.getByLabel('Requests per minute').fill('2');
      await dialog.getByRole('button', { name: 'Add a fallback' }).click();
      await dialog.getByLabel('Address of fallback 1').fill('https://example.org/v1');
    },
    send: 'Add model',
    shows: [
      'Address',
      'API key',
      'Name here',
      'What it does',
      'Aliases',
      'Price of input',
      'Price of output',
      'Requests per minute',
      'Address of fallback 1',
    ],
  },
  {
    at: '/playground',
    open: 'Save session',
    fill: { 'Session name': 'a' },
    send: 'Save',
    shows: ['Session name'],
  },
];

inFull.given(chromiumPath).describe('messages beside their field', () => {
  let app: OpenConsole;
  beforeAll(async () => {
    app = await openConsole();
    await call(app.server, '/v2/prompts', { body: { name: 'x', definition: { content: 'y' } } });
  });

  it.each(forms.map((form) => [`${form.at}: ${form.open}`, form] as const))(
    '%s',
    { timeout: LONG_MS },
    async (_, form) => {
      const { page, at } = app;
      await page.goto(at(form.at));
      const isOpener = { name: form.open, exact: true };
      await page.getByRole('main').getByRole('button', isOpener).first().click();
      const dialog = page.getByRole('dialog');
      for (const [label, value] of Object.entries(form.fill ?? {}))
        await dialog.getByLabel(label, { exact: true }).fill(value);
      await form.prepare?.(page);
      const sends = (url: URL) => /^\/(v1|v2|console\/api)\//.test(url.pathname);
      await page.route(sends, refuseAll);
      await dialog.getByRole('button', { name: form.send, exact: true }).click();
      for (const label of form.shows) {
        const input = dialog.getByLabel(label, { exact: !label.startsWith('Price') }).first();
        await expect.poll(() => input.getAttribute('aria-invalid'), { message: `${label} is marked` }).toBe('true');
        const ids = (await input.getAttribute('aria-describedby'))?.split(' ') ?? [];
        const texts = await Promise.all(ids.map((id) => dialog.locator(`[id="${id}"]`).innerText()));
        expect(texts.join('\n')).toContain(SAID);
      }
      const words = await dialog.innerText();
      expect(words).not.toMatch(/String should|Input should|Value error|\w+\.\w+:|_\w+:/);
      await page.unroute(sends);
    },
  );
});

/** As the server refuses a body, for each of its values. Questions pass. */
async function refuseAll(route: Route): Promise<void> {
  const request = route.request();
  if (request.method() === 'GET') return route.continue();
  const detail = leavesOf(request.postDataJSON() as unknown, ['body']).map((loc) => ({
    ...{ type: 'string_pattern_mismatch', loc, msg: "String should match pattern '^x$'", input: 'y' },
  }));
  await route.fulfill({ status: 422, json: { detail } });
}

function leavesOf(value: unknown, path: (string | number)[]): (string | number)[][] {
  if (Array.isArray(value)) return value.flatMap((one, index) => leavesOf(one, [...path, index]));
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([name, one]) => leavesOf(one, [...path, name]));
}
