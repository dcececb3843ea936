import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openEnvironment, whyNot } from './environments.ts';
import { keepResult, keyOf, readResults } from './keep-results.ts';
import { readClients } from './read-clients.ts';
import { pagePath, renderPage } from './render-page.ts';
import { isGood, type Outcome, runClient } from './run-client.ts';
import { startServer } from './start-server.ts';

const USAGE = `node quality/clients/run.ts [--only name,…] [--failed] [--json] [--list]

Installs pinned versions of third-party clients, each in an environment of its own, and runs their programs against a
started server. Exits with 1 if a client prints something else than its program promises, or the server refused it.

  --only name,…   these clients
  --failed        those that did not work when they last ran, or have changed since
  --list          their names
  --json          the results as JSON on standard output; progress goes to standard error
Environments are kept in TRAMONTANE_CLIENTS_DIR (a folder in the temporary directory).`;

type Result = { name: string; packages: string[]; seconds: number } & (
  | { skipped: string }
  | { error: string }
  | Outcome
);

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    failed: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const all = readClients();
if (values.help) console.log(USAGE);
else if (values.list) for (const { name, packages } of all) console.log(`${name}: ${packages.join(' ')}`);
else process.exitCode = await runAll(values.only?.split(','));

async function runAll(only: string[] | undefined): Promise<number> {
  const unknown = only?.filter((name) => !all.some((client) => client.name === name)) ?? [];
  if (unknown.length > 0) {
    console.error(`There is no client ${unknown.join(', ')}. There are: ${all.map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  const works = values.failed ? readResults() : new Set();
  const chosen = all.filter((client) => (!only || only.includes(client.name)) && !works.has(keyOf(client)));
  const server = await startServer();
  const results: Result[] = [];
  try {
    for (const [index, client] of chosen.entries()) {
      const begun = performance.now();
      process.stderr.write(`[${index + 1}/${chosen.length}] ${client.name}: `);
      const outcome = await tryClient(client);
      const seconds = Math.round((performance.now() - begun) / 100) / 10;
      if (!('skipped' in outcome)) keepResult(client, 'failed' in outcome && isGood(outcome));
      results.push({ name: client.name, packages: client.packages, seconds, ...outcome });
      process.stderr.write(`${describe(outcome)} (${seconds} s)\n`);
    }
  } finally {
    await server.stop();
  }
  if (values.json) console.log(JSON.stringify(results, null, 2));
  const bad = results.filter((result) => 'error' in result || ('failed' in result && !isGood(result)));
  const skipped = results.filter((result) => 'skipped' in result).length;
  const good = results.length - bad.length - skipped;
  process.stderr.write(
    `${good} of ${results.length} clients work as their programs promise${skipped === 0 ? '' : `; ${skipped} were skipped`}.\n`,
  );
  if (bad.length === 0) keepPage();
  return bad.length > 0 ? 1 : 0;

  async function tryClient(client: (typeof all)[number]) {
    const skipped = whyNot(client);
    if (skipped) return { skipped };
    try {
      return await runClient(client, await openEnvironment(client), server);
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }
}

function describe(outcome: { skipped: string } | { error: string } | Outcome): string {
  if ('skipped' in outcome) return `skipped, ${outcome.skipped}`;
  if ('error' in outcome) return `cannot be installed\n${outcome.error}`;
  if (isGood(outcome)) return 'works';
  const { failed, refused, code, output } = outcome;
  const lines = Object.entries(failed).map(([check, printed]) => `  ${check}: ${printed}`);
  const refusals = Object.entries(refused).map(([what, count]) => `  the server refused ${what} × ${count}`);
  return ['fails', ...lines, ...refusals, `  ended with ${code}`, output.slice(-3000)].join('\n');
}

/** The page says what works, so each program must have worked as it stands. */
function keepPage(): void {
  const works = readResults();
  if (!all.every((client) => works.has(keyOf(client)) || whyNot(client))) return;
  const page = renderPage(all);
  if (readFileSync(pagePath, 'utf8') === page) return;
  writeFileSync(pagePath, page);
  process.stderr.write('docs/clients.md is written anew.\n');
}
