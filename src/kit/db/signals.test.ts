import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { createSignal, type Database } from './index.ts';

onEachDatabase('a signal', (test) => {
  let here: Database;
  let elsewhere: Database;
  beforeAll(async () => {
    here = await test.open();
    elsewhere = await test.open();
  });
  afterAll(async () => {
    await here.close();
    await elsewhere.close();
  });

  it('raised in one process is heard in the other', async () => {
    const raiser = createSignal(here, 'news', Date.now);
    const listener = createSignal(elsewhere, 'news', Date.now);
    await listener.start();
    const heard = new Promise<void>((resolve) => listener.onChange(resolve));
    await here.transaction((tx) => raiser.raise(tx));
    await heard;
    await listener.stop();
  });

  it('that was rolled back is heard by nobody', async () => {
    const signal = createSignal(here, 'quiet', Date.now);
    let changes = 0;
    signal.onChange(() => {
      changes++;
    });
    await expect(
      here.transaction(async (tx) => {
        await signal.raise(tx);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(changes).toBe(0);
  });

  it('is fresh only for a second after it was last read', async () => {
    let ms = 0;
    const signal = createSignal(here, 'clocked', () => ms);
    expect(signal.isFresh()).toBe(false);
    await signal.start();
    expect(signal.isFresh()).toBe(true);
    ms = 1000;
    expect(signal.isFresh()).toBe(false);
    await signal.stop();
  });
});
