import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const PAGES_DIR = join(import.meta.dirname, '../../console/src/pages');

/** A page in one of its states. */
export type Shot = {
  name: string;
  route: string;
  search?: (ids: Record<string, string>) => Record<string, string>;
  /** Brings the page into the state, from how it opens. */
  act?: (page: Page) => Promise<unknown>;
  /** Without a session. */
  signedOut?: boolean;
};

const press = (name: string | RegExp) => (page: Page) =>
  page
    .getByRole('main')
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();
const tab = (name: string | RegExp) => (page: Page) => page.getByRole('tab', { name }).click();

const openPalette = async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
};

/** States beyond how a page opens: dialogs, tabs, what is empty. */
const states: Shot[] = [
  { name: 'agent-versions', route: '/agents/$agentId', act: tab(/^Versions/) },
  { name: 'comparison', route: '/evaluations/$runId/comparison', search: ({ baseline = '' }) => ({ baseline }) },
  { name: 'dataset-new', route: '/datasets', act: press('New dataset') },
  { name: 'dataset-imports', route: '/datasets/$datasetId', act: tab('Imports') },
  { name: 'connector-new', route: '/connectors', act: press('Add connector') },
  { name: 'evaluation-new', route: '/evaluations', act: press('New run') },
  { name: 'execution-events', route: '/workflows/executions/$executionId', act: tab(/^Events/) },
  { name: 'execution-row', route: '/workflows/executions/$executionId', act: press(/charge-card/) },
  { name: 'judge-new', route: '/judges', act: press('New judge') },
  { name: 'key-new', route: '/organization/api-keys', act: press('New API key') },
  { name: 'library-new', route: '/libraries', act: press('New library') },
  { name: 'library-search', route: '/libraries/$libraryId/search', search: () => ({ query: 'tramontane' }) },
  { name: 'member-invite', route: '/organization', act: press('Invite') },
  { name: 'model-new', route: '/models', act: press('Add model') },
  { name: 'not-found', route: '/nowhere' },
  { name: 'notification-new', route: '/notifications', act: press('New endpoint') },
  {
    name: 'playground-model',
    route: '/playground',
    search: ({ modelId = '' }) => ({ target: JSON.stringify({ kind: 'model', id: modelId }) }),
  },
  { name: 'prompt-history', route: '/prompts/$promptId', act: tab('History') },
  { name: 'prompt-aliases', route: '/prompts/$promptId', act: tab('Aliases') },
  { name: 'prompt-new', route: '/prompts', act: press('New prompt') },
  { name: 'palette', route: '/', act: openPalette },
  { name: 'schedule-new', route: '/workflows/schedules', act: press('New schedule') },
  { name: 'webhook-new', route: '/webhooks', act: press('New webhook') },
  { name: 'workspace-new', route: '/organization/workspaces', act: press('New workspace') },
];

/** Every route as it opens, and the states above. */
export function listShots(): Shot[] {
  const opened = readRoutes().map((route) => ({
    name: route === '/' ? 'home' : route.slice(1).replaceAll('/', '-').replaceAll('$', ''),
    route,
    ...(/^\/(sign-in|link)/.test(route) ? { signedOut: true } : {}),
  }));
  return [...opened, ...states];
}

/** The routes that the areas of the console declare. */
export function readRoutes(): string[] {
  const found = globSync('*/area.ts', { cwd: PAGES_DIR }).flatMap((file) => {
    const text = readFileSync(join(PAGES_DIR, file), 'utf8');
    const base = /^const path = '([^']+)'/m.exec(text)?.[1] ?? '';
    const declared = [...text.matchAll(/\bpath: (?:'([^']+)'|`\$\{path\}([^`]+)`)/g)];
    const paths = declared.map(([, path, below]) => path ?? `${base}${below}`);
    return /^ +path,$/m.test(text) ? [...paths, base] : paths;
  });
  return [...new Set(found)].toSorted();
}

export function addressOf({ route, search }: Shot, ids: Record<string, string>): string {
  const path = route.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`Nothing was made for ${name} of ${route}.`);
    return encodeURIComponent(id);
  });
  const query = new URLSearchParams(search?.(ids)).toString();
  return query ? `${path}?${query}` : path;
}
