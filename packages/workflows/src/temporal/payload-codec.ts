import type { PayloadCodec, Payload as TemporalPayload } from '@temporalio/common';
import type { PayloadKeysResponse } from '../protocol.ts';
import type { Api } from '../worker/api.ts';
import { keyIdOf, openPayload, type Payload, type PayloadKey, sealPayload } from './seal-payload.ts';

export type PayloadCodecOfWorker = PayloadCodec & {
  /** Whether this worker encrypts payloads. */
  readonly isSealing: boolean;
};

/**
 * Encrypts and decrypts the payloads of a worker on Temporal, with keys from the server. An unknown key means that the
 * server has a new one: the worker then reads the keys again.
 */
export async function createPayloadCodec(api: Api): Promise<PayloadCodecOfWorker> {
  let keys: PayloadKey[] = [];
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const { data } = await api.get<PayloadKeysResponse>('/v1/workflows/workers/payload-keys');
    keys = data.keys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') }));
  }

  async function findKey(id: string): Promise<Uint8Array> {
    const known = keys.find((key) => key.id === id);
    if (known) return known.key;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    await asking;
    const found = keys.find((key) => key.id === id);
    if (!found) throw new Error(`A payload was encrypted with the key ${id}, which the server does not have any more.`);
    return found.key;
  }

  async function open(payload: Payload): Promise<Payload> {
    const id = keyIdOf(payload);
    return id === undefined ? payload : openPayload(payload, await findKey(id));
  }

  await ask();
  return {
    get isSealing() {
      return keys.length > 0;
    },
    async encode(payloads) {
      const [newest] = keys;
      return newest ? payloads.map((payload) => sealPayload(payload, newest) as TemporalPayload) : payloads;
    },
    decode: (payloads) => Promise.all(payloads.map(open)) as Promise<TemporalPayload[]>,
  };
}
