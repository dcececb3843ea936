import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { inFull } from '../../../test/support/in-full.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { startUpstream } from '../../../test/support/upstream.ts';
import { textEvents } from '../../chat/chat-for-tests.ts';
import { runProcess, type StartedCli, startCli, startProgram } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

const KEY = 'a-key-for-the-tests-of-workers-and-workflows';

function configFor(url: string): string {
  const file = join(temporaryDir(), 'tramontane.yaml');
  writeFileSync(
    file,
    `models: [{ id: small, engine: upstream, url: '${url}', api_key: '\${UPSTREAM_KEY}', aliases: [mistral-small-latest] }]\n`,
  );
  return file;
}

/** Asks until the answer is the one that is waited for. */
function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  return vi.waitUntil(look, { interval: 50, timeout: 30_000 }) as Promise<T>;
}

type Folder = [what: string, files: Record<string, string>, words: string];

describe('worker', () => {
  const environment = { TRAMONTANE_API_KEY: KEY, TRAMONTANE_URL: 'http://127.0.0.1:1' };

  it('needs a key', async () => {
    const { code, stderr } = await runHere(['worker', temporaryDir()], {});
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Set TRAMONTANE_API_KEY') });
  });

  const broken: Folder = [
    'a broken file',
    { 'a.mjs': 'throw new Error("no luck");' },
    'a.mjs could not be loaded: no luck',
  ];
  const folders: Folder[] = [
    broken,
    ['nothing', {}, 'There is no .ts, .mts, .js or .mjs file'],
    ['no workflow', { 'a.mjs': 'export const a = 1;' }, 'defines a workflow with defineWorkflow'],
    [
      'two steps of one name',
      {
        'a.ts': `import { defineStep, defineWorkflow } from '@tramontane/workflows';
          defineStep('twin', async () => 1); defineStep('twin', async () => 2); defineWorkflow('w', {}, async () => 1);`,
      },
      'Two steps are called "twin"',
    ],
  ];
  it.each(rounds([broken], folders))('says what is wrong with a folder that has %s', async (_what, files, words) => {
    const dir = temporaryDir();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    const { code, stderr } = await runProcess(['worker', dir], environment);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});

describe('worker against a server', () => {
  // One for all of them: to start it takes longer than what is tested.
  let cli: StartedCli;
  let server: { url: string; key: string };
  beforeAll(async () => {
    cli = await startCli(['--data-dir', join(temporaryDir(), 'data')], { TRAMONTANE_BOOTSTRAP_API_KEY: KEY });
    server = { url: cli.url, key: KEY };
  });
  afterAll(async () => expect((await cli.stop()).code).toBe(0));

  it('says what it serves, ends what it has begun when it is told to stop, and leaves', async () => {
    const dir = temporaryDir();
    writeFileSync(
      join(dir, 'slow.mjs'),
      `import { defineStep, defineWorkflow } from '@tramontane/workflows';
       const slow = defineStep('slow', async (_, step) => {
         step.log.info('slow begins');
         await new Promise((resolve) => setTimeout(resolve, 300));
         return 'done';
       });
       defineWorkflow('patient', {}, (ctx) => ctx.step(slow));`,
    );
    const options = ['--deployment', 'night', '--name', 'owl', '--max-steps', '2', '--max-turns', '3', '--json'];
    const worker = startProgram(['worker', dir, ...options], { TRAMONTANE_API_KEY: KEY, TRAMONTANE_URL: cli.url });
    const [line] = await worker.has('stdout', /.*\n/);
    expect(JSON.parse(line)).toEqual({
      url: cli.url,
      worker: 'owl',
      deployment: 'night',
      workflows: ['patient'],
      steps: ['slow'],
    });
    const started = await call(server, '/v1/workflows/patient/execute', { body: { input: {} } });
    const { execution_id: id } = started.body as { execution_id: string };
    await worker.has('stderr', /slow begins/);
    expect((await worker.stop()).code).toBe(0);
    const { text } = await call(server, `/v1/workflows/executions/${id}/history`);
    expect(text).toContain('ACTIVITY_TASK_COMPLETED');
  });

  it('that refuses its key ends it with one line', async () => {
    const dir = temporaryDir();
    writeFileSync(
      join(dir, 'a.mjs'),
      `import { defineWorkflow } from '@tramontane/workflows'; defineWorkflow('w', {}, async () => 1);`,
    );
    const { code, stderr } = await runProcess(['worker', dir, '--url', cli.url], {
      TRAMONTANE_API_KEY: `${KEY}-of-nobody`,
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('refused /v1/workflows/workers/whoami (401)'),
    });
  });

  inFull.it(
    'with --watch starts anew when a file changes, and takes no server down with it',
    async () => {
      const dir = join(temporaryDir(), 'project');
      mkdirSync(dir);
      const write = (result: number) =>
        writeFileSync(
          join(dir, 'answer.ts'),
          `import { defineWorkflow } from '@tramontane/workflows';
         export const answer = defineWorkflow('answer', {}, async (): Promise<number> => ${result});`,
        );
      write(1);
      const worker = startProgram(['worker', dir, '--watch'], { TRAMONTANE_API_KEY: KEY, TRAMONTANE_URL: cli.url });
      const answer = (wanted: number) =>
        until(async () => {
          const { body } = await call(server, '/v1/workflows/answer/execute', {
            body: { input: {}, wait_for_result: true, timeout_seconds: 5 },
          });
          return (body as { result?: number }).result === wanted ? true : undefined;
        });
      await answer(1);
      write(2);
      await answer(2);
      expect((await worker.stop()).code).toBe(0);
      expect((await call(server, '/v1/models')).status).toBe(200);
    },
    60_000,
  );
});

describe('start --workflows', () => {
  inFull.it(
    'runs the example without the secrets of the server, and restarts a worker that was killed',
    async () => {
      const upstream = await startUpstream();
      upstream.answerWith((_call, response) => textEvents(response, ['Yes, ', 'until noon.']));
      const dir = join(temporaryDir(), 'desk');
      await runHere(['init', dir], {});
      const seen = join(temporaryDir(), 'environment.json');
      writeFileSync(
        join(dir, 'workflows', 'environment.mjs'),
        `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env));`,
      );
      const cli = await startCli(
        ['--workflows', dir, '--data-dir', join(temporaryDir(), 'data'), '--config', configFor(upstream.url)],
        { TRAMONTANE_BOOTSTRAP_API_KEY: KEY, UPSTREAM_KEY: 'a-key-of-the-upstream', MAIL_PASSWORD: 'of-the-project' },
      );
      const server = { url: cli.url, key: KEY };
      await cli.stderrHas('Worker .* is ready');
      const environment = JSON.parse(readFileSync(seen, 'utf8'));
      expect(environment).toMatchObject({
        TRAMONTANE_URL: cli.url,
        TRAMONTANE_API_KEY: expect.stringMatching(/^tmk_/),
        MAIL_PASSWORD: 'of-the-project',
      });
      expect(environment).not.toHaveProperty('UPSTREAM_KEY');
      expect(JSON.stringify(environment)).not.toContain(KEY);
      const workers = async () => {
        const { body } = await call(server, '/v1/workflows/deployments/default/workers');
        return (body as { workers: { name: string }[] }).workers.map(({ name }) => Number(name.split('-').at(-1)));
      };
      const input = { from: 'ann@example.com', question: 'Open on Saturdays?' };
      const started = await call(server, '/v1/workflows/support-agent/execute', { body: { input } });
      const { execution_id: id } = started.body as { execution_id: string };
      const pending = () =>
        until(async () => {
          const { body } = await call(server, `/v1/workflows/executions/${id}/queries`, {
            body: { name: '__get_pending_inputs' },
          });
          return (body as { result?: { pending_inputs: { task_id: string; label: string }[] } }).result
            ?.pending_inputs[0];
        });
      expect((await pending()).label).toContain('Yes, until noon.');

      const [pid = 0] = await workers();
      process.kill(pid, 'SIGKILL');
      await cli.stderrHas('exited \\(SIGKILL\\); restarting[\\s\\S]* is ready');
      const { task_id } = await pending();
      const submitted = await call(server, `/v1/workflows/executions/${id}/updates`, {
        body: { name: '__submit_input', input: { task_id, input: { approved: true } } },
      });
      expect(submitted.status).toBe(200);
      const ended = await until(async () => {
        const { body } = await call(server, `/v1/workflows/executions/${id}`);
        return (body as { status: string }).status === 'RUNNING' ? undefined : body;
      });
      expect(ended).toMatchObject({ status: 'COMPLETED', result: { sent: true, drafts: 1 } });
      const { code, stderr } = await cli.stop();
      expect(code).toBe(0);
      expect(stderr).toContain('to ann@example.com: Yes, until noon.');
    },
    60_000,
  );
});
