import type { temporal } from '@temporalio/proto';
import type { Json } from '../../../../packages/workflows/src/protocol.ts';

type Payload = temporal.api.common.v1.IPayload;

const FORMAT = 'json/wf_v1';
/** The second is the name in older versions of the official SDK; stored payloads may still have it. */
const FORMATS: ReadonlySet<string> = new Set([FORMAT, 'json/abraxas_v1']);

/** Official workers reject payloads without this context. */
export type WfContext = {
  namespace: string;
  executionId: string;
  rootExecutionId?: string;
  /** Only with the input of a run. */
  executionToken?: string;
  extensions?: Json;
};

/** Encodes a value for official workers: JSON with its context in the metadata. */
export function toWfPayload(value: Json, context: WfContext): Payload {
  const { namespace, executionId, rootExecutionId, executionToken, extensions } = context;
  const metadata: Record<string, string> = {
    encoding: FORMAT,
    namespace,
    execution_id: executionId,
    encoding_options: '',
    ...(rootExecutionId === undefined ? {} : { root_workflow_exec_id: rootExecutionId }),
    ...(executionToken === undefined ? {} : { __internal_execution_token: executionToken }),
    ...(extensions === undefined ? {} : { __internal_extensions: JSON.stringify(extensions) }),
  };
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, text]) => [key, Buffer.from(text)])),
    data: Buffer.from(JSON.stringify(value)),
  };
}

/** Converts to plain JSON. Payloads that the worker encrypted, compressed or stored elsewhere stay opaque. */
export function plainOf(payload: Payload): Payload {
  if (!FORMATS.has(textOf(payload, 'encoding'))) return payload;
  const options = textOf(payload, 'encoding_options').split(',').filter(Boolean);
  const data = payload.data ?? new Uint8Array();
  const shown = () =>
    options.length === 0
      ? data
      : Buffer.from(
          JSON.stringify({ b64payload: Buffer.from(data).toString('base64'), encoding_options: options, empty: false }),
        );
  const isEmpty = textOf(payload, 'empty_payload') !== '';
  return { metadata: { encoding: Buffer.from('json/plain') }, data: isEmpty ? Buffer.from('null') : shown() };
}

function textOf({ metadata }: Payload, key: string): string {
  const value = metadata?.[key];
  return value ? Buffer.from(value).toString() : '';
}
