import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { postgresForTests } from '../../../../test/support/databases.ts';
import { type Database, openDatabase } from '../index.ts';

const url = inject('postgresUrl');

describe.runIf(url)('a transaction on PostgreSQL', () => {
  const test = postgresForTests(url ?? '');
  const packets: string[] = [];
  let proxy: Server;
  let database: Database;

  /** Hears what the server sends. */
  function listen({ port, hostname }: URL): Promise<Server> {
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      client.on('data', (bytes) => packets.push(bytes.toString('latin1')));
      client.pipe(upstream).pipe(client);
      const end = () => [client, upstream].forEach((socket) => void socket.destroy());
      client.on('error', end);
      upstream.on('error', end);
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
  }

  beforeAll(async () => {
    await (await test.open()).close();
    const target = new URL((test.options as { url: string }).url);
    proxy = await listen(target);
    target.hostname = '127.0.0.1';
    target.port = String((proxy.address() as AddressInfo).port);
    database = await openDatabase({ kind: 'postgres', url: target.href });
    await database.ping();
  });
  afterAll(async () => {
    await database.close();
    proxy.close();
  });
  beforeEach(async () => {
    await database.db.deleteFrom('signals').execute();
    packets.splice(0);
  });

  /** The packets with statements of a transaction. Connections of the pool begin and end beside it. */
  const sent = () =>
    packets
      .map((text) => ['begin', 'insert', 'commit'].filter((word) => text.includes(word)))
      .filter((words) => words.length > 0);

  const insert = (name: string) => (tx: Database['db']) =>
    tx.insertInto('signals').values({ name, version: 1 }).execute();
  const names = async () => (await database.db.selectFrom('signals').select('name').execute()).map(({ name }) => name);

  it('begins in the packet of its first statement', async () => {
    await database.transaction(insert('first'));
    expect(sent()).toEqual([['begin', 'insert'], ['commit']]);
    expect(await names()).toEqual(['first']);
  });

  it('that does nothing sends nothing', async () => {
    expect(await database.transaction(async () => 7)).toBe(7);
    const failed = database.transaction(async () => {
      throw new Error('before the first statement');
    });
    await expect(failed).rejects.toThrow('before the first statement');
    expect(sent()).toEqual([]);
  });

  it('is undone when it fails, in its first statement and later', async () => {
    await database.transaction(insert('first'));
    await expect(database.transaction(insert('first'))).rejects.toMatchObject({ code: '23505' });
    const failed = database.transaction(async (tx) => {
      await insert('second')(tx);
      throw new Error('later');
    });
    await expect(failed).rejects.toThrow('later');
    expect(await names()).toEqual(['first']);
    await database.transaction(insert('third'));
    expect((await names()).sort()).toEqual(['first', 'third']);
  });
});
