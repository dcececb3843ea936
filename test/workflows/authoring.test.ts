import { beforeAll, describe, expect, it } from 'vitest';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { defineStep, defineWorkflow, execute, workFor } from './support.ts';

const add = defineStep('add', async ({ a, b }: { a: number; b: number }) => a + b);

const sums = defineWorkflow('sums', {}, async (ctx) => {
  const one = await ctx.step(add, { a: 1, b: 2 });
  const two = await ctx.step(add, { a: one, b: 3 });
  return ctx.step(add, { a: two, b: 4 });
});

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
  await workFor(server, [sums], [add]);
});

describe('a workflow', () => {
  it('runs its steps one after the other and returns its result', async () => {
    expect(await execute(server, 'sums')).toBe(10);
  });
});
