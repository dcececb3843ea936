import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Scope, where } from '../run/scope.ts';
import { guardGlobals } from './guard-globals.ts';

guardGlobals();

const globals = { now: () => 1_000_000, random: () => 0.25, uuid: () => '00000000-0000-4000-8000-000000000000' };
const asWorkflow = <T>(code: () => T): T => where.run({ scope: new Scope(), globals, onStray: () => undefined }, code);

describe('in workflow code', () => {
  it('every way to ask for the time gives the time of the turn', () => {
    expect(asWorkflow(() => Date.now())).toBe(1_000_000);
    expect(asWorkflow(() => new Date()).toISOString()).toBe(new Date(1_000_000).toISOString());
    expect(asWorkflow(() => Date())).toBe(new Date(1_000_000).toString());
    expect(asWorkflow(() => new Date(5).getTime())).toBe(5);
    expect(asWorkflow(() => new Date()) instanceof Date).toBe(true);
  });

  it('chance is the run’s own', () => {
    expect(asWorkflow(() => Math.random())).toBe(0.25);
    expect(asWorkflow(() => crypto.randomUUID())).toBe(globals.uuid());
  });

  it.each(['setTimeout', 'setInterval', 'setImmediate', 'fetch'] as const)(
    '%s is refused with what to use instead',
    (name) => {
      const call = globalThis[name] as (...given: unknown[]) => unknown;
      expect(() => asWorkflow(() => call(() => undefined, 1))).toThrow(`Workflow code may not call ${name}: use `);
    },
  );
});

describe('everywhere else', () => {
  it('nothing has changed', async () => {
    expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(5000);
    expect(new Date(2026, 0, 1).getFullYear()).toBe(2026);
    expect(Math.random()).not.toBe(0.25);
    expect(crypto.randomUUID()).not.toBe(globals.uuid());
    await pause(1);
    expect(await new Promise((resolve) => setTimeout(resolve, 1, 'later'))).toBe('later');
  });
});
