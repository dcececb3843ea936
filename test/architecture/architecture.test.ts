import { describe, expect, it } from 'vitest';
import { findCycles, findUnlistedNetwork, findViolations, importsOf } from './check-architecture.ts';
import { readSources } from './read-sources.ts';

const root = new URL('../..', import.meta.url).pathname;
const sample = new Map([
  ['src/app.ts', "import { a } from './prompts/index.ts';"],
  ['src/kit/http/index.ts', ''],
  ['src/kit/http/inner.ts', ''],
  ['src/kit/base/clock.ts', 'export const now = () => Date.now();'],
  ['src/prompts/index.ts', "export { b } from './service.ts';"],
  ['src/prompts/schema.ts', ''],
  ['src/prompts/find-variables.ts', "import { e } from './store.ts';"],
  ['src/prompts/errors.ts', "import { defineErrors } from '../kit/http/index.ts';"],
  ['src/prompts/store.ts', "import './schema.ts';"],
  ['src/prompts/service.ts', "import { c } from './store.ts';\nimport { clock } from '../kit/base/clock.ts';"],
  ['src/prompts/routes.ts', "import { d } from './service.ts';\nimport { route } from '../kit/http/index.ts';"],
  ['src/chat/index.ts', "import type { P } from '../prompts/index.ts';"],
]);
const withFile = (path: string, text: string) => new Map([...sample, [path, text]]);

describe('the sources', () => {
  it('has no forbidden edge and no cycle', () => {
    const sources = readSources(root);
    for (const folder of ['src', 'packages', 'console', 'test', 'quality', 'guide', 'examples', 'migrations'])
      expect([...sources.keys()].some((path) => path.startsWith(`${folder}/`))).toBe(true);
    expect(findViolations(sources)).toEqual([]);
    expect(findCycles(sources)).toEqual([]);
  });

  it('reaches other machines only from files that say who chooses the address', () => {
    expect(findUnlistedNetwork(readSources(root))).toEqual([]);
  });
});

describe('the check', () => {
  it('passes sources that follow all rules', () => {
    expect(findViolations(sample)).toEqual([]);
    expect(findCycles(sample)).toEqual([]);
  });

  it.each([
    [
      'a room that enters one it may not',
      'src/prompts/extra.ts',
      "import { x } from '../chat/index.ts';",
      'may not enter chat',
    ],
    [
      'kit that knows a room',
      'src/kit/http/bad.ts',
      "import { x } from '../../prompts/index.ts';",
      'kit may not enter prompts',
    ],
    ['a side window', 'src/chat/bad.ts', "import { x } from '../prompts/store.ts';", 'by a side window'],
    ['a side window of kit', 'src/chat/bad.ts', "import { x } from '../kit/http/inner.ts';", 'beside its door'],
    ['a dynamic import', 'src/prompts/bad.ts', "const x = await import('../chat/index.ts');", 'may not enter chat'],
    ['a type import', 'src/prompts/bad.ts', "import type { X } from '../chat/index.ts';", 'may not enter chat'],
    [
      'an import over several lines',
      'src/prompts/bad.ts',
      "import {\n  x,\n  y,\n} from '../chat/index.ts';",
      'may not enter chat',
    ],
    ['a re-export', 'src/prompts/bad.ts', "export { x } from '../chat/index.ts';", 'may not enter chat'],
    ['a store that climbs', 'src/prompts/store.ts', "import { x } from './service.ts';", '(store) may not import'],
    [
      'a store in a folder that climbs',
      'src/prompts/store/a.ts',
      "import { x } from '../routes.ts';",
      'src/prompts/store/a.ts (store) may not import',
    ],
    ['a store that uses a helper', 'src/prompts/store.ts', "import { x } from './find-variables.ts';", '(helper)'],
    ['a schema that uses a helper', 'src/prompts/schema.ts', "import { x } from './find-variables.ts';", '(helper)'],
    [
      'a helper that climbs, be it for a type',
      'src/prompts/find-variables.ts',
      "import type { X } from './service.ts';",
      '(helper) may not import src/prompts/service.ts (service)',
    ],
    [
      'a file that enters its own room by the door',
      'src/prompts/store.ts',
      "import { x } from './index.ts';",
      '(door)',
    ],
    ['SQL in a service', 'src/prompts/service.ts', "db.selectFrom('prompts')", 'builds SQL outside a store'],
    ['raw SQL in a helper', 'src/prompts/find-variables.ts', 'await sql<Row>`select 1`.execute(db)', 'builds SQL'],
    ['SQL in kit', 'src/kit/http/inner.ts', "tx.deleteFrom('keys')", 'builds SQL'],
    ['two forms of a layer', 'src/prompts/service/a.ts', '', 'has both service.ts and service/'],
    ['a file beside the rooms', 'src/helpers.ts', '', 'stands beside the rooms'],
    ['an error without a code', 'src/prompts/bad.ts', "throw new ApiError(400, 'No.');", 'in no catalogue'],
    ['a validation error without a code', 'src/prompts/bad.ts', "{ type: 'value_error', loc }", 'in no catalogue'],
    ['a process beside the supervisor', 'src/prompts/bad.ts', "const child = fork('./child.ts');", 'starts a process'],
    ['a domain word in kit', 'src/kit/http/inner.ts', 'export type PromptCache = Map<string, string>;', 'domain word'],
    [
      'an engine that imports the other one',
      'src/workflows/engines/temporal/start.ts',
      "import { x } from '../embedded/start-run.ts';",
      'imports the embedded engine',
    ],
    [
      'a port that knows its engine',
      'src/workflows/engines/port/engine.ts',
      "import { x } from '../temporal/connect.ts';",
      'imports the Temporal engine',
    ],
    ['an old name of a helper for tests', 'src/prompts/test-support.ts', '', 'must end in -for-tests.ts'],
    [
      'an unlisted room',
      'src/cellar/index.ts',
      "import { x } from '../kit/http/index.ts';",
      'not in the list of doors',
    ],
    ['a room without a door', 'src/skills/store.ts', '', 'has no door'],
    ['a door that names nothing', 'src/skills/index.ts', "export * from './store.ts';", 'must name'],
    [
      'a function in a property',
      'src/kit/http/inner.ts',
      'request.onClosed = () => {\n  open.close();\n};',
      'assigns a new function to a property',
    ],
    ['the environment', 'src/prompts/bad.ts', 'const home = process.env.HOME;', 'process.env'],
    ['the clock', 'src/prompts/bad.ts', 'const t = Date.now();', 'Date.now()'],
    ['chance', 'src/prompts/bad.ts', "import { randomUUID } from 'node:crypto';", 'randomUUID()'],
    ['the console', 'src/prompts/bad.ts', "console.log('x');", 'console'],
    ['a way out of src', 'src/prompts/bad.ts', "import { x } from '../../test/support/call.ts';", 'reaches out of src'],
    ['a file that does not exist', 'src/prompts/bad.ts', "import { x } from './gone.ts';", 'does not exist'],
  ])('reports %s', (_name, path, text, expected) => {
    expect(findViolations(withFile(path, text)).join('\n')).toContain(expected);
  });

  it('reports a cycle, also one of types alone, and in the packages', () => {
    expect(findCycles(withFile('src/prompts/schema.ts', "import { r } from './routes.ts';"))).not.toEqual([]);
    expect(findCycles(withFile('src/prompts/schema.ts', "import type { R } from './routes.ts';"))).not.toEqual([]);
    const pages = new Map([
      ['console/src/a.tsx', "import type { B } from './b.tsx';"],
      ['console/src/b.tsx', "import { A } from './a.tsx';"],
    ]);
    expect(findCycles(pages)).toHaveLength(1);
  });

  it.each([
    "import { request } from 'undici';",
    "import { Agent, request as ask } from 'node:http';",
    "import https from 'node:https';",
    "import { connect } from 'node:net';",
    "import { lookup } from 'node:dns/promises';",
    "const { createTransport } = await import('nodemailer');",
    'const answer = await fetch(url);',
    'const socket = new WebSocket(url);',
  ])('reports a file that reaches other machines and is in no list: %s', (text) => {
    expect(findUnlistedNetwork(withFile('src/prompts/bad.ts', text), {}).join()).toContain('src/prompts/bad.ts');
  });

  it('lets types, guarded requests and servers pass, and reports a needless line of the list', () => {
    const text =
      "import type { IncomingMessage } from 'node:http';\nimport { isIP } from 'node:net';\nawait outbound.fetch(url);";
    expect(findUnlistedNetwork(withFile('src/prompts/fine.ts', text), {})).toEqual([]);
    expect(findUnlistedNetwork(sample, { 'src/prompts/gone.ts': 'nobody' }).join()).toContain('reaches nobody');
  });

  it('is not misled by a comment', () => {
    expect(findViolations(withFile('src/prompts/fine.ts', '// never Date.now() here\n/* process.env */'))).toEqual([]);
  });

  it('sees every form of import', () => {
    expect(
      importsOf(
        'src/a/b.ts',
        "import x from './c.ts';\nimport './d.ts';\nexport { y } from '../e.ts';\nawait import('./f.ts');",
      ),
    ).toEqual(['src/a/c.ts', 'src/a/d.ts', 'src/e.ts', 'src/a/f.ts']);
  });
});
