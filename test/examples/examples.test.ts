import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { tableRows } from '../docs/read-markdown.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { inFull } from '../support/in-full.ts';
import { python, pythonWithMcp } from '../support/python.ts';
import { rounds } from '../support/rounds.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { startScriptedModel } from './scripted-model.ts';

const LINES_MAX = 60;
const PATIENCE_MS = 120_000;
const SHORT = ['chat.py', 'tools.ts'];
const dir = join(import.meta.dirname, '../../examples');
const programs = readdirSync(dir).filter((name) => /\.(ts|py)$/.test(name) && !name.startsWith('connect.'));

type Expected = { prints: RegExp; input?: string; writes?: string };

/** What each topic prints, in both languages. */
const topics: Record<string, Expected> = {
  chat: { prints: /^The tramontane, from the north\.\n\(\w+, 10 tokens\)\n$/ },
  stream: { prints: /^The tramontane, from the north\.\n\(3 tokens\)\n$/ },
  tools: { prints: /^order_status\(.*A-17.*\) → .*"Thursday".*\nThe tool says: .*"Thursday".*\n$/ },
  'structured-output': { prints: /^Ada from Perpignan: call back today\n$/ },
  agent: {
    prints:
      /code_interpreter wants to run:\n.*sum\(range\(10\)\).*\nAllow it\? \(y\/n\) [\s\S]*The tool says: [\s\S]*45/,
    input: 'y\n',
  },
  document: { prints: /^invoice\.pdf: 1 page\(s\), \d+ characters\n90\.00 EUR, until 30 June 2026\.\n$/ },
  library: {
    prints:
      /^invoice\.pdf: done, 1 page\(s\)\nThe tool says: [\s\S]*90\.00 EUR[\s\S]*( \[Invoice 2026-114, page 1\])+\n$/,
  },
  workflow: {
    prints:
      /^\S+ waits for the payment\nWORKFLOW_EXECUTION_STARTED\n[\s\S]*COMPLETED: \{"cents":4200,"shipped":"A-17 is on its way"\}\n$/,
  },
  'mcp-client': {
    prints: /^Tools: list_skills, get_skill, [\s\S]*How we write release notes[\s\S]*Begin with what users notice\./,
  },
  speech: { prints: /^speech\.wav: \d{4,} bytes\n$/, writes: 'speech.wav' },
  batch: {
    prints: /^[\s\S]*SUCCESS: 3 of 3\nArrived in two days, works well\. → positive\nBroken after a week\. → negative\n/,
  },
  embeddings: { prints: /^\d\.\d{3} {2}Parking costs two euros an hour on weekdays\.\n(\d\.\d{3} {2}.+\n){3}$/ },
  prompts: {
    prints:
      /^greeting-\d+@production is version 2: Greet \{\{customer\}\} warmly, .+\nYou told me: Greet Ms Ito warmly, in one sentence\.\n$/,
  },
};

let server: TestServer;
beforeAll(async () => {
  const { url } = await startScriptedModel();
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [
        { id: 'small', engine: 'upstream', url, capabilities: { completion_chat: true, function_calling: true } },
        { id: 'embedder', engine: 'upstream', url, capabilities: {} },
        { id: 'espeak-ng', engine: 'espeak' },
        { id: 'tesseract', engine: 'tesseract' },
      ],
    },
  });
});

/** Runs a program of `examples/` as a reader does, in a separate folder. */
async function run(program: string, { input = '', cwd = temporaryDir(), ...environment }: Record<string, string> = {}) {
  const interpreter = program.endsWith('.ts') ? process.execPath : interpreterFor(program);
  const env = {
    PATH: process.env.PATH,
    // The import of the SDK takes most of a run, and other tests have compiled it.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PYTHONIOENCODING: 'utf-8',
    PYTHONDONTWRITEBYTECODE: '1',
    TRAMONTANE_URL: server.url,
    TRAMONTANE_API_KEY: server.key,
    ...environment,
  };
  const child = spawn(interpreter ?? '', [join(dir, program)], { cwd, env });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code, cwd };
}

const interpreterFor = (program: string) =>
  program.endsWith('.py') ? (program.startsWith('mcp') ? python && pythonWithMcp : python) : process.execPath;

describe('the examples', { timeout: PATIENCE_MS }, () => {
  // Both languages at once: a small machine can run two processes in parallel.
  for (const [topic, { prints, input, writes }] of Object.entries(topics)) {
    const all = programs.filter((name) => name.startsWith(`${topic}.`) && interpreterFor(name));
    // Every run has two of them, in one language each.
    const runnable = rounds(
      all.filter((name) => SHORT.includes(name)),
      all,
    );
    it.runIf(runnable.length > 0)(
      `${runnable.join(', ')}: prints what it promises, against a started server`,
      async () => {
        const runs = await Promise.all(runnable.map((program) => run(program, { ...(input && { input }) })));
        for (const [index, { stdout, stderr, code, cwd }] of runs.entries()) {
          expect({ program: runnable[index], code, stderr }).toEqual({ program: runnable[index], code: 0, stderr: '' });
          expect(stdout, runnable[index]).toMatch(prints);
          if (writes) expect(readFileSync(join(cwd, writes)).toString('latin1', 0, 4)).toBe('RIFF');
        }
      },
    );
  }

  it.each(rounds(['chat.ts'], ['chat.ts', 'chat.py'].filter(interpreterFor)))(
    '%s says what to do without a key, with a wrong one, and without a server',
    async (program) => {
      const refused = { code: 1, stdout: '' };
      const [noKey, wrongKey, noServer] = await Promise.all([
        run(program, { TRAMONTANE_API_KEY: '' }),
        run(program, { TRAMONTANE_API_KEY: 'wrong' }),
        run(program, { TRAMONTANE_URL: 'http://127.0.0.1:9' }),
      ]);
      expect(noKey).toMatchObject({ ...refused, stderr: expect.stringMatching(/^Set TRAMONTANE_API_KEY to .+\n$/) });
      expect(wrongKey).toMatchObject({ ...refused, stderr: expect.stringMatching(/does not accept the key .+\n$/) });
      expect(noServer).toMatchObject({ ...refused, stderr: expect.stringMatching(/^No server answers at .+\n$/) });
    },
  );

  inFull.it('agent.ts does not run what a person has not allowed', async () => {
    const { stdout } = await run('agent.ts', { input: 'n\n' });
    expect(stdout).toMatch(/Allow it\? \(y\/n\) [\s\S]*The tool says: /);
    expect(stdout).not.toMatch(/\b45\b/);
  });
});

describe('the folder of examples', () => {
  it('covers every topic in TypeScript, and the ones of the official SDK in Python', () => {
    const all = Object.keys(topics);
    const inPython = all.filter((topic) => topic !== 'workflow');
    expect(programs.toSorted()).toEqual([...all.map((t) => `${t}.ts`), ...inPython.map((t) => `${t}.py`)].sort());
  });

  it('has programs of one screen, each with a sentence on what it shows, that look for the server first', () => {
    for (const program of programs) {
      const source = readFileSync(join(dir, program), 'utf8');
      const lines = source.trimEnd().split('\n');
      expect(lines.length, program).toBeLessThanOrEqual(LINES_MAX);
      expect(lines[0], program).toMatch(program.endsWith('.ts') ? /^\/\/ [A-Z].+/ : /^"""[A-Z].+"""$/);
      expect(source, program).toMatch(/\b(connect|check)\(\)/);
    }
  });

  it('lists every program in its README, and none that is not there', () => {
    const listed = tableRows(readFileSync(join(dir, 'README.md'), 'utf8')).flatMap((cells) =>
      [...cells.join(' ').matchAll(/\]\(([\w-]+\.(?:ts|py))\)/g)].map(([, name]) => name),
    );
    expect(listed.sort()).toEqual(programs.toSorted());
  });
});
