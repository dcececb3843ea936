import pino from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { createHttpServer } from './index.ts';

afterEach(() => void vi.useRealTimers());

it('a request that was refused before its body came is not kept for the time that the body might have taken', async () => {
  const { app, drain } = createHttpServer({
    authenticate: () => undefined,
    log: pino({ level: 'silent' }),
    idempotency: { run: (_call, work) => work(), sweep: async () => 0 },
    bodyTimeouts: { wholeMs: 60_000, idleMs: 60_000 },
    routes: [],
  });
  atEnd(() => drain(0));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  for (let n = 0; n < 10; n++) {
    const answer = await fetch(`${url}/nowhere`, { method: 'POST', body: 'x'.repeat(200_000) });
    expect(answer.status).toBe(404);
    await answer.text();
  }
  // Of the client's own timers some may be left; of the server's there would be ten.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeLessThan(5), { timeout: 5000 });
});
