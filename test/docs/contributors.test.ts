import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { withKinds } from './kinds-page.ts';
import { tableRows } from './read-markdown.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Record<string, string>;
  overrides: Record<string, string>;
  engines: { node: string };
};

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = {
  'runs-on': string;
  'timeout-minutes'?: number;
  'continue-on-error'?: boolean | string;
  permissions?: unknown;
  strategy?: { matrix: { node?: number[]; os?: string[]; include?: { part: string; tests: string }[] } };
  steps: Step[];
};
type Workflow = {
  permissions: Record<string, string>;
  concurrency: Record<string, unknown>;
  jobs: Record<string, Job>;
};

/** npm commands that package.json has no script for. */
function unknownCommands(commands: string[]): string[] {
  const asked = commands.flatMap((command) => [...command.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test))\b/g)]);
  return asked.flatMap(([, script, short]) => {
    const name = script ?? short ?? '';
    return name in manifest.scripts ? [] : [name];
  });
}

describe('.github/workflows/ci.yml', () => {
  const { jobs, permissions, concurrency } = parse(read('.github/workflows/ci.yml')) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const commandsOf = (job: Job | undefined) => job?.steps.flatMap(({ run }) => run ?? []) ?? [];

  it('starts on three systems and three versions of Node, the oldest being the one that package.json asks for', () => {
    expect(jobs.start?.strategy?.matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [20, 22, 24],
    });
    expect(manifest.engines.node).toBe('>=20');
  });

  it('runs what npm test runs: the checks, and in its parts every test once', () => {
    expect(manifest.scripts.test).toBe('npm run check && vitest run');
    expect(commandsOf(jobs.check)).toEqual(['npm ci', 'npm run check']);
    const projects = [...read('vitest.config.ts').matchAll(/\bname: '(\w+)'/g)].map(([, name]) => name);
    expect(projects).toEqual(['alone', 'long', 'shared']);
    expect(jobs.test?.strategy?.matrix.include?.map(({ tests }) => tests)).toEqual([
      ...[1, 2, 3].map((shard) => `--project alone --project shared --shard=${shard}/3`),
      '--project long console/test',
      "--project long --exclude 'console/test/**'",
    ]);
    expect(commandsOf(jobs.test).slice(-2)).toEqual(['npm ci', 'npx vitest run ${{ matrix.tests }}']);
  });

  it('lets only what was not seen green on macOS and Windows pass with faults', () => {
    const lenient = Object.entries(jobs).filter(([, job]) => job['continue-on-error'] !== undefined);
    expect(lenient.map(([name, job]) => [name, job['continue-on-error']])).toEqual([
      ['portable', true],
      ['start', "${{ matrix.os != 'ubuntu-latest' }}"],
    ]);
    expect(jobs.portable?.strategy?.matrix.os).toEqual(['macos-latest', 'windows-latest']);
  });

  it("runs the README's two commands, and only scripts that there are", () => {
    expect(read('README.md')).toContain('npm ci && npm start');
    expect(read('README.md')).toContain('npm ci && npm test');
    expect(commandsOf(jobs.start)).toEqual(['npm ci', 'npm run smoke']);
    expect(read('quality/smoke/run.ts')).toContain("run('npm start')");
    expect(unknownCommands(Object.values(jobs).flatMap(commandsOf))).toEqual([]);
    expect(unknownCommands(['npm ci && npm run missing', 'npm test'])).toEqual(['missing']);
  });

  it('may only read, ends what is outdated, keeps no credentials, and has a time limit', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(concurrency).toMatchObject({ 'cancel-in-progress': true });
    for (const [name, job] of Object.entries(jobs)) {
      expect([name, job.permissions, job['timeout-minutes']]).toEqual([name, undefined, expect.any(Number)]);
      expect(job.steps.find(({ uses }) => uses?.startsWith('actions/setup-node'))?.with).toMatchObject({
        cache: 'npm',
      });
    }
    for (const { uses, with: given } of steps) {
      if (uses) expect(uses).toMatch(/^actions\/[\w-]+@(v\d+|[0-9a-f]{40})$/);
      if (uses?.startsWith('actions/checkout')) expect(given).toEqual({ 'persist-credentials': false });
    }
  });

  it('installs the versions that .ci/run installs', () => {
    const wanted = read('.github/workflows/ci.yml').match(/[\w-]+(?:\[[\w,]+\])?==[\d.]+/g) ?? [];
    expect(wanted.length).toBeGreaterThan(2);
    for (const version of wanted) expect(read('.ci/run')).toContain(version);
  });
});

describe('the pages for contributors', () => {
  it('are of one screen for coding agents, and name only scripts that there are', () => {
    expect(read('AGENTS.md').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    expect(unknownCommands([read('AGENTS.md'), read('CONTRIBUTING.md')])).toEqual([]);
  });

  it('tell in the changelog of every version, the newest being the one of package.json', () => {
    const versions = [...read('CHANGELOG.md').matchAll(/^## \[(.+?)\](?: - \d{4}-\d\d-\d\d)?$/gm)].map(
      ([, version]) => version,
    );
    expect(versions.slice(0, 2)).toEqual(['Unreleased', manifest.version]);
  });

  it('give each word of the glossary one row', () => {
    const terms = tableRows(read('docs/glossary.md')).map(([term]) => term);
    expect(terms.length).toBeGreaterThan(40);
    expect(new Set(terms).size).toBe(terms.length);
  });
});

describe('the other files of .github', () => {
  it('keep dependencies new every week, in groups, but for what package.json holds', () => {
    const { updates } = parse(read('.github/dependabot.yml')) as {
      updates: {
        'package-ecosystem': string;
        schedule: { interval: string };
        groups: Record<string, unknown>;
        ignore?: { 'dependency-name': string; 'update-types'?: string[] }[];
      }[];
    };
    expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions', 'docker']);
    for (const { schedule, groups } of updates) {
      expect(schedule.interval).toBe('weekly');
      expect(Object.keys(groups).length).toBeGreaterThan(0);
    }
    const held = (updates[0]?.ignore ?? [])
      .filter((rule) => !rule['update-types'])
      .map((rule) => rule['dependency-name']);
    const isHeld = (name: string) =>
      held.some((rule) => rule === name || (rule.endsWith('*') && name.startsWith(rule.slice(0, -1))));
    expect(Object.keys(manifest.overrides).filter((name) => !isHeld(name))).toEqual([]);
  });

  it('are forms with a name, a description and fields that have labels', () => {
    const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: root }).filter(
      (path) => !path.endsWith('config.yml'),
    );
    expect(forms).toHaveLength(2);
    for (const path of forms) {
      const form = parse(read(path)) as {
        name: string;
        description: string;
        body: { type: string; id?: string; attributes: { label?: string; value?: string } }[];
      };
      expect([form.name, form.description], path).toEqual([expect.any(String), expect.any(String)]);
      for (const { type, id, attributes } of form.body)
        if (type === 'markdown') expect(attributes.value).toContain('SECURITY.md');
        else expect([path, id, attributes.label]).toEqual([path, expect.any(String), expect.any(String)]);
    }
    expect(parse(read('.github/ISSUE_TEMPLATE/config.yml'))).toEqual({ blank_issues_enabled: false });
    const template = read('.github/PULL_REQUEST_TEMPLATE.md');
    expect(template).toContain('CHANGELOG.md');
    expect(unknownCommands([template])).toEqual([]);
  });
});

describe('test/README.md', () => {
  it('has the kinds of tests as they are told apart', () => {
    expect(read('test/README.md'), 'npm run docs writes them').toBe(withKinds(read('test/README.md')));
  });
});
