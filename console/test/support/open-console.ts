import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { buildConsole } from './build-console.ts';
import { chromiumPath } from './chromium.ts';

export const password = 'a password of the tests';
export const model = 'scripted';

export type OpenConsole = {
  server: TestServer;
  upstream: ScriptedUpstream;
  context: BrowserContext;
  page: Page;
  /** The address of a page: `at('/models')`. */
  at(path: string): string;
  /** A second browser without a session. */
  newPage(): Promise<Page>;
};

type Options = {
  file?: Record<string, unknown>;
  environment?: Record<string, string>;
  /** Models beside the scripted one. */
  more?: Record<string, unknown>[];
  /** More of the scripted model. */
  model?: Record<string, unknown>;
  /** A WAV file that the browser hears in place of a microphone. */
  microphone?: string;
};

/** Browser tests; skipped and reported at the end of the run if there is no browser. */
export function describeInBrowser(name: string, define: () => void): void {
  describe.runIf(chromiumPath)(name, define);
}

/** A server with a scripted model and a signed-in browser, for beforeAll. Browser console errors fail the file. */
export async function openConsole(options: Options = {}): Promise<OpenConsole> {
  const [upstream] = await Promise.all([startUpstream(), buildConsole()]);
  const models = [
    {
      id: model,
      engine: 'upstream',
      url: upstream.url,
      capabilities: { completion_chat: true, function_calling: true },
      ...options.model,
    },
    ...(options.more ?? []),
  ];
  const server = await startTestServer(sqliteForTests(), {
    ...options,
    console: {},
    file: { models, ...options.file },
  });
  const browser = await browserFor(options);
  const complaints: string[] = [];
  atEnd(() => expect(complaints).toEqual([]));
  const at = (path: string) => `${server.url}/console${path}`;
  // The server starts without waiting for the app.
  await vi.waitFor(async () => expect((await fetch(at('/'))).status).toBe(200), { timeout: 60_000, interval: 20 });
  const newContext = async () => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write', ...(options.microphone ? ['microphone'] : [])],
    });
    atEnd(() => context.close());
    // Shorter than the test timeout, so that the failure names the locator.
    context.setDefaultTimeout(25_000);
    context.on('console', (message) => {
      if (message.type() === 'error' && !isExpected(message.text())) complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    return context;
  };
  const context = await newContext();
  const page = await context.newPage();
  await followFirstLink(page, server);
  return { server, upstream, context, page, at, newPage: async () => (await newContext()).newPage() };
}

let shared: Promise<Browser> | undefined;

/** One for all files of a process, which ends with it: contexts have nothing in common. A microphone is of one browser. */
async function browserFor({ microphone }: Options): Promise<Browser> {
  if (microphone === undefined) {
    shared ??= launch([]);
    return shared;
  }
  const browser = await launch([
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${microphone}`,
  ]);
  atEnd(() => browser.close());
  return browser;
}

function launch(args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox', ...args] });
}

/** Chromium logs each rejected request itself, and each that failed at another server; the tests check how the page handles it. */
function isExpected(text: string): boolean {
  return /^Failed to load resource: (the server responded with a status of (4\d\d|502)|net::ERR_CONNECTION_REFUSED)/.test(
    text,
  );
}

async function followFirstLink(page: Page, server: TestServer): Promise<void> {
  if (!server.bootstrap.created) throw new Error('the server of a test has a fresh database');
  await page.goto(new URL(server.bootstrap.link.path, server.url).href);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Save and sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
}
