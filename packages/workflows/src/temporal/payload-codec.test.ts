import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { PayloadKeysResponse } from '../protocol.ts';
import type { Api } from '../worker/api.ts';
import { createPayloadCodec } from './payload-codec.ts';
import { openPayload, sealPayload } from './seal-payload.ts';

const newKey = (id: string) => ({ id, key: randomBytes(32).toString('base64') });
const value = { secret: 'hunter2' };
const payload = defaultPayloadConverter.toPayload(value) as Payload;
const read = (sealed: object) => defaultPayloadConverter.fromPayload(sealed as Payload);

/** A server with these keys. */
function serverWith(...keys: PayloadKeysResponse['keys']) {
  const server = { keys, asked: 0 };
  const get = async () => {
    server.asked++;
    return { data: { keys: server.keys }, characters: 0 };
  };
  return { server, api: { get } as unknown as Api };
}

it('what a worker sends is sealed with the newest key, and comes back as it was', async () => {
  const { api } = serverWith(newKey('b'), newKey('a'));
  const codec = await createPayloadCodec(api);
  const [sealed] = await codec.encode([payload]);
  expect(Buffer.from(sealed?.data ?? []).includes('hunter2')).toBe(false);
  expect(Buffer.from(sealed?.metadata?.['encryption-key-id'] ?? []).toString()).toBe('b');
  expect((await codec.decode([sealed as Payload])).map(read)).toEqual([value]);
});

it('a worker that meets a key that it does not know asks once, and seals with it from then on', async () => {
  const [old, next] = [newKey('old'), newKey('new')];
  const { api, server } = serverWith(old);
  const codec = await createPayloadCodec(api);
  const [before] = await codec.encode([payload]);
  server.keys = [next, old];
  const fromServer = sealPayload(payload, { id: 'new', key: Buffer.from(next.key, 'base64') }) as Payload;
  const opened = await codec.decode([fromServer, fromServer, before as Payload]);
  expect(opened.map(read)).toEqual([value, value, value]);
  expect(server.asked).toBe(2);
  const [after] = await codec.encode([payload]);
  expect(read(openPayload(after as Payload, Buffer.from(next.key, 'base64')))).toEqual(value);
});

it('a worker of a server without keys sends what it has, and reads what is not sealed', async () => {
  const codec = await createPayloadCodec(serverWith().api);
  expect(codec.isSealing).toBe(false);
  expect(await codec.encode([payload])).toEqual([payload]);
  expect(await codec.decode([payload])).toEqual([payload]);
});

it('what was changed on its way, or sealed with a key that is gone, is refused', async () => {
  const key = newKey('a');
  const codec = await createPayloadCodec(serverWith(key).api);
  const [sealed] = await codec.encode([payload]);
  const data = Buffer.from(sealed?.data ?? []);
  data[20] = (data[20] ?? 0) ^ 1;
  await expect(codec.decode([{ ...sealed, data }])).rejects.toThrow();
  const other = Buffer.from('binary/null');
  await expect(
    codec.decode([{ ...sealed, metadata: { ...sealed?.metadata, 'sealed-encoding': other } }]),
  ).rejects.toThrow();
  const foreign = sealPayload(payload, { id: 'gone', key: randomBytes(32) }) as Payload;
  await expect(codec.decode([foreign])).rejects.toThrow('encrypted with the key gone');
});
