import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../kit/base/log.ts';
import { superviseChild } from './supervise-child.ts';

const never = new AbortController().signal;

function start(how: 'dies' | 'reports') {
  const settings = { gpu: true, how };
  let seen: object | undefined;
  let isGivenUp = false;
  const child = superviseChild<typeof settings, string, string>({
    name: 'small',
    subject: 'The model',
    log: createLog('silent'),
    entry: new URL('./failing-start-for-tests.ts', import.meta.url),
    variables: [],
    settings,
    loading: (facts) => {
      seen = facts;
    },
    recover() {
      if (!seen || isGivenUp) return false;
      isGivenUp = true;
      settings.gpu = false;
      return true;
    },
  });
  onTestFinished(child.close);
  return child;
}

it.each(['dies', 'reports'] as const)(
  'a request that waits for a child that %s while it loads is served by the one with other settings',
  async (how) => {
    const child = start(how);
    const warmed = child.warm();
    const parts: string[] = [];
    for await (const batch of child.request('you', never)) parts.push(...batch);
    expect(parts).toEqual(['you, too']);
    await warmed;
    expect(child.facts()).toEqual({ gpu: false });
    expect(child.state()).toEqual({ kind: 'ready' });
  },
);
