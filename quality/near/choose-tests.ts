import { importsOf, type Sources } from '../../test/architecture/check-architecture.ts';
import { roomFiles, rootFolders } from '../../test/architecture/rules.ts';
import { kindOf } from '../../test/support/kinds.ts';

/** Runs with every change. */
const ALWAYS = 'test/architecture/';
/** Stands for all rooms where a change reaches more of them than can run in two minutes. */
const SAMPLE = ['src/prompts/', 'src/files/', 'test/permissions/', 'test/walking-skeleton.test.ts'];
const ROOMS_MAX = 6;
const IMPORTING_TESTS_MAX = 12;

const TEST = /\.test\.tsx?$/;
/** Kinds of tests that take milliseconds each, and those that need minutes or what is not installed everywhere. */
const QUICK = ['in-process', 'PostgreSQL'];
const SLOW = ['campaigns', 'browser', 'real weights'];

/** The tests that are near to the changed files, each with the reason; one step along the imports, not further. */
export function chooseTests(changed: string[], sources: Sources): Map<string, string> {
  const tests = [...sources.keys()].filter((path) => TEST.test(path));
  const imports = new Map([...sources].map(([path, text]) => [path, importsOf(path, text)]));
  const chosen = new Map<string, string>();
  const choose = (reason: string, isMeant: (path: string) => boolean) => {
    for (const path of tests) if (!chosen.has(path) && isMeant(path)) chosen.set(path, reason);
  };
  const chooseSample = (reason: string) =>
    choose(`sample: ${reason}`, (path) => SAMPLE.some((start) => path.startsWith(start)));

  choose('changed', (path) => changed.includes(path));
  choose('always', (path) => path.startsWith(ALWAYS));
  if (changed.some((path) => path.endsWith('.md') || path.startsWith('docs/')))
    choose('pages changed', (path) => path.startsWith('test/docs/'));

  const files = changed.filter((path) => !TEST.test(path) && !path.endsWith('.md'));
  for (const file of files) {
    const importing = tests.filter((path) => imports.get(path)?.includes(file));
    if (importing.length > IMPORTING_TESTS_MAX) chooseSample(`${importing.length} tests import ${file}`);
    else choose(`imports ${file}`, (path) => importing.includes(path) && QUICK.includes(kindOf(path)));
  }
  for (const unit of new Set(files.map(unitOf))) {
    choose(`beside ${unit}`, (path) => unitOf(path) === unit);
    choose(`names ${unit}`, (path) => isNamed(path, unit) && !SLOW.includes(kindOf(path)));
    const users = findUsers(unit, imports);
    if (users.length <= ROOMS_MAX)
      choose(`uses ${unit}`, (path) => users.includes(unitOf(path)) && QUICK.includes(kindOf(path)));
    else chooseSample(`${users.length} rooms use ${unit}`);
    const hasSources = [...sources.keys()].some((path) => unitOf(path) === unit);
    if (!hasSources) choose(`${unit} has no sources`, (path) => path.startsWith('test/docs/'));
    if (isRoot(unit)) chooseSample(`everything runs with ${unit}`);
  }
  return chosen;
}

/** What is changed as one: a room, a part of kit, an engine, a command, a package, a folder of test/ or quality/. */
export function unitOf(path: string): string {
  const folders = path.split('/');
  if (folders[0] === 'src' && folders.length > 3 && ['kit', 'engines', 'cli'].includes(folders[1] ?? ''))
    return folders.slice(0, 3).join('/');
  const isDivided = ['src', 'packages', 'test', 'quality'].includes(folders[0] ?? '');
  return folders.slice(0, isDivided ? 2 : 1).join('/');
}

/** The rooms whose sources import the unit. The composition root imports all rooms, and the console types alone. */
function findUsers(unit: string, imports: Map<string, string[]>): string[] {
  const users = [...imports]
    .filter(([path]) => path.startsWith('src/') && !TEST.test(path) && !isRoot(unitOf(path)) && unitOf(path) !== unit)
    .filter(([, targets]) => targets.some((target) => unitOf(target) === unit))
    .map(([path]) => unitOf(path));
  return [...new Set(users)];
}

/** What every server runs, and what sets up every test. */
function isRoot(unit: string): boolean {
  if (['migrations', 'test/support', 'package.json', 'package-lock.json', 'vitest.config.ts'].includes(unit))
    return true;
  return roomFiles.includes(unit) || rootFolders.some((folder) => unit === `src/${folder}`);
}

/** `test/sdk/prompts.test.ts` for `src/prompts`. */
function isNamed(path: string, unit: string): boolean {
  const name = unit.split('/').at(-1) ?? '';
  return path.startsWith('test/') && path.split(/[/.]/).includes(name);
}
