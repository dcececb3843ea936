import { expect, it } from 'vitest';
import stripSteps from './strip-steps.ts';

it('takes the bodies of steps out, and the imports that only they used', () => {
  const code = `
import { readFile } from 'node:fs/promises';
import pg, { Client } from 'pg';
import './effects.js';
import { defineStep, defineWorkflow } from '@tramontane/workflows';
import { words } from './words.js';
const read = defineStep('read', { timeoutMs: 5 }, async (file) => new pg.Pool(await readFile(file), Client, words));
export const flow = defineWorkflow('flow', {}, async (ctx) => ctx.step(read, words.first));
`;
  const stripped = stripSteps(code);
  expect(stripped).not.toMatch(/readFile|pg/);
  expect(stripped).toContain("import './effects.js';");
  expect(stripped).toContain("import { words } from './words.js';");
  expect(stripped).toContain("defineStep('read', { timeoutMs: 5 }, () => { throw");
  expect(stripped).toContain('ctx.step(read, words.first)');
});

it('leaves files without steps as they are', () => {
  const code = 'export const one = 1;\n';
  expect(stripSteps(code)).toBe(code);
});
