import { describe, expect, it } from 'vitest';
import { plainOf, toWfPayload } from './wf-payloads.ts';

const textOf = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString();
const metadataOf = (payload: ReturnType<typeof toWfPayload>) =>
  Object.fromEntries(Object.entries(payload.metadata ?? {}).map(([key, value]) => [key, textOf(value)]));
const encoded = (metadata: Record<string, string>, data: string) => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([key, text]) => [key, Buffer.from(text)])),
  data: Buffer.from(data),
});

describe('values of the official SDK', () => {
  it('say for whom they are, and carry the token of the run', () => {
    const executionToken = '6f1c9a52-0d4e-4c1b-9a39-0d1b7a5f6d11';
    const payload = toWfPayload({ name: 'Ada' }, { namespace: 'ns', executionId: 'run-1', executionToken });
    expect(metadataOf(payload)).toEqual({
      encoding: 'json/wf_v1',
      namespace: 'ns',
      execution_id: 'run-1',
      encoding_options: '',
      __internal_execution_token: executionToken,
    });
    expect(textOf(payload.data)).toBe('{"name":"Ada"}');
  });

  it('are read as what they were, under the old name too', () => {
    for (const encoding of ['json/wf_v1', 'json/abraxas_v1']) {
      const plain = plainOf(encoded({ encoding, execution_id: 'x', encoding_options: '' }, '[1,"é"]'));
      expect([metadataOf(plain), textOf(plain.data)]).toEqual([{ encoding: 'json/plain' }, '[1,"é"]']);
    }
  });

  it('that are empty are null', () => {
    expect(textOf(plainOf(encoded({ encoding: 'json/wf_v1', empty_payload: '\u0000' }, '"x"')).data)).toBe('null');
  });

  it('that only their worker can read are passed on as they are', () => {
    const secret = encoded({ encoding: 'json/wf_v1', encoding_options: 'compressed,encrypted' }, '\u0001\u0002');
    expect(JSON.parse(textOf(plainOf(secret).data))).toEqual({
      b64payload: 'AQI=',
      encoding_options: ['compressed', 'encrypted'],
      empty: false,
    });
  });

  it('are told from other values', () => {
    const other = encoded({ encoding: 'json/plain' }, '1');
    expect(plainOf(other)).toBe(other);
  });
});
