import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';

const root = resolve(import.meta.dirname, '../../..');
const project = join(temporaryDir(), 'project');
const installed = join(project, 'node_modules/@tramontane/workflows');

function node(code: string): string {
  return execFileSync(process.execPath, ['--no-strip-types', '--input-type=module', '-e', code], {
    cwd: project,
    encoding: 'utf8',
  });
}

describe('the published package', () => {
  beforeAll(() => {
    mkdirSync(dirname(installed), { recursive: true });
    execFileSync(process.execPath, [join(root, 'packages/workflows/build.ts'), installed]);
    for (const name of [
      'zod',
      'ajv',
      'undici',
      'fast-deep-equal',
      'fast-uri',
      'json-schema-traverse',
      'require-from-string',
    ])
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  });

  it('is plain JavaScript that any Node imports, with its worker', () => {
    const said = node(`
      import { defineStep, defineWorkflow } from '@tramontane/workflows';
      import { startWorker } from '@tramontane/workflows/worker';
      const step = defineStep('a', async () => 1);
      const workflow = defineWorkflow('w', {}, (ctx) => ctx.step(step));
      console.log(step.name, workflow.name, typeof startWorker);`);
    expect(said).toBe('a w function\n');
  });

  it('has declarations for each entry, and brings the example and the licence', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    for (const entry of Object.values(manifest.exports as Record<string, { types: string; default: string }>)) {
      expect(readFileSync(join(installed, entry.types), 'utf8')).toContain('export');
      expect(readFileSync(join(installed, entry.default), 'utf8')).not.toContain(".ts'");
    }
    expect(manifest.scripts).toBeUndefined();
    for (const file of ['README.md', 'LICENSE', 'example/workflows/support-agent.ts'])
      expect(readFileSync(join(installed, file), 'utf8').length).toBeGreaterThan(100);
  });

  it('lets the type checker see what steps give', () => {
    writeFileSync(
      join(project, 'wrong.mts'),
      `import { defineStep, defineWorkflow } from '@tramontane/workflows';
       const step = defineStep('typed', async (n: number) => String(n));
       defineWorkflow('typed', {}, async (ctx) => { const n: number = await ctx.step(step, 1); return n; });`,
    );
    const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck'];
    const options = ['--module', 'nodenext', '--target', 'es2024', '--types', '', 'wrong.mts'];
    expect(() => execFileSync(process.execPath, [...tsc, ...options], { cwd: project, encoding: 'utf8' })).toThrow(
      expect.objectContaining({ stdout: expect.stringContaining("Type 'string' is not assignable to type 'number'") }),
    );
  });
});
