import { gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { type AllowedCall, allowedCalls } from './allowed-calls.ts';
import { checkMessage } from './check-message.ts';
import { Refusal } from './grpc-status.ts';

const { workflowservice } = temporal.api;
const OWN = 'tramontane-own';
const FOREIGN = 'tramontane-foreign';

type Codec = { encode(message: object): { finish(): Uint8Array } };

const requestOf = (path: string) =>
  (workflowservice.v1 as unknown as Record<string, Codec>)[`${path.split('/').at(-1)}Request`] as Codec;
const bytesOf = (path: string, message: object) => requestOf(path).encode(message).finish();
const called = (method: string) => {
  const path = `/temporal.api.workflowservice.v1.WorkflowService/${method}`;
  return { path, call: allowedCalls.get(path) as AllowedCall };
};

function framed(message: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** undefined, or the code of the refusal. */
function judge(method: string, message: object | Uint8Array, encoding?: string): number | undefined {
  const { path, call } = called(method);
  const bytes = message instanceof Uint8Array ? message : bytesOf(path, message);
  try {
    checkMessage(framed(encoding ? gzipSync(bytes) : bytes, encoding ? 1 : 0), encoding, call, OWN);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

/** A message as a field of another. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  return value < 0x80
    ? Buffer.of(value)
    : Buffer.concat([Buffer.of((value % 0x80) + 0x80), varint(Math.floor(value / 0x80))]);
}

describe('what may pass to Temporal', () => {
  const named = [...allowedCalls].filter(([, call]) => call.namespace);

  it.each(named)('%s passes with its own namespace and with no other', (path, call) => {
    const own = framed(bytesOf(path, { namespace: OWN }));
    const foreign = framed(bytesOf(path, { namespace: FOREIGN }));
    expect(() => checkMessage(own, undefined, call, OWN)).not.toThrow();
    expect(() => checkMessage(foreign, undefined, call, OWN)).toThrow(/does not open this namespace/);
    expect(() => checkMessage(framed(new Uint8Array()), undefined, call, OWN)).toThrow(/does not open/);
  });

  it('calls that name no namespace are only those that say nothing of anybody', () => {
    const bare = [...allowedCalls].filter(([, call]) => !call.namespace).map(([path]) => path.split('/').at(-1));
    expect(bare).toEqual(['GetSystemInfo', 'Check']);
  });

  it('a namespace that is named twice must be the own one both times, for the last one counts', () => {
    const { path } = called('PollWorkflowTaskQueue');
    const twice = (first: string, last: string) =>
      Buffer.concat([bytesOf(path, { namespace: first }), bytesOf(path, { namespace: last })]);
    expect(judge('PollWorkflowTaskQueue', twice(OWN, FOREIGN))).toBe(7);
    expect(judge('PollWorkflowTaskQueue', twice(FOREIGN, OWN))).toBe(7);
    expect(judge('PollWorkflowTaskQueue', twice(OWN, OWN))).toBeUndefined();
  });

  it('commands of a workflow cannot signal, cancel or start in a foreign namespace', () => {
    const { path } = called('RespondWorkflowTaskCompleted');
    const commands = (namespace: string) => [
      { signalExternalWorkflowExecutionCommandAttributes: { namespace, signalName: 's' } },
      { requestCancelExternalWorkflowExecutionCommandAttributes: { namespace, workflowId: 'w' } },
      { startChildWorkflowExecutionCommandAttributes: { namespace, workflowId: 'w' } },
    ];
    for (const command of commands(FOREIGN))
      expect(judge('RespondWorkflowTaskCompleted', { namespace: OWN, commands: [{}, command] })).toBe(7);
    for (const namespace of [OWN, ''])
      expect(judge('RespondWorkflowTaskCompleted', { namespace: OWN, commands: commands(namespace) })).toBeUndefined();
    const nexus = { scheduleNexusOperationCommandAttributes: { endpoint: 'elsewhere' } };
    expect(judge('RespondWorkflowTaskCompleted', bytesOf(path, { namespace: OWN, commands: [nexus] }))).toBe(7);
  });

  it('the parts of an operation of several stay in the namespace too', () => {
    const start = { startWorkflow: { namespace: FOREIGN } };
    const update = { updateWorkflow: { namespace: FOREIGN } };
    for (const operation of [start, update])
      expect(judge('ExecuteMultiOperation', { namespace: OWN, operations: [operation] })).toBe(7);
  });

  it('callbacks to an address of the caller, and a namespace by its id, are not passed on', () => {
    const completionCallbacks = [{ nexus: { url: 'http://169.254.169.254/' } }];
    expect(judge('StartWorkflowExecution', { namespace: OWN, completionCallbacks })).toBe(7);
    expect(judge('UpdateWorkflowExecution', { namespace: OWN, request: { completionCallbacks } })).toBe(7);
    expect(judge('DescribeNamespace', { namespace: OWN, id: 'b2c1' })).toBe(7);
  });

  it('a compressed message is judged like any other, and one that unpacks without end is refused', () => {
    expect(judge('QueryWorkflow', { namespace: OWN }, 'gzip')).toBeUndefined();
    expect(judge('QueryWorkflow', { namespace: FOREIGN }, 'gzip')).toBe(7);
    expect(judge('QueryWorkflow', Buffer.alloc(64 * 1024 * 1024), 'gzip')).toBe(3);
    expect(judge('QueryWorkflow', { namespace: OWN }, 'snappy')).toBe(12);
  });

  const MILLIONS = 3_800_000;
  it.each([
    ['commands', Buffer.alloc(MILLIONS, Uint8Array.of(0x12, 0))],
    ['namespaces of one command', field(2, field(9, Buffer.alloc(MILLIONS, Uint8Array.of(0x0a, 0))))],
    ['fields that nobody asks for', Buffer.alloc(MILLIONS, Uint8Array.of(0x7a, 0))],
  ])('a message of two million empty %s is judged as any other', (_, filler) => {
    const { path } = called('RespondWorkflowTaskCompleted');
    const named = (namespace: string) => Buffer.concat([filler, bytesOf(path, { namespace })]);
    expect(judge('RespondWorkflowTaskCompleted', named(OWN))).toBeUndefined();
    expect(judge('RespondWorkflowTaskCompleted', named(FOREIGN))).toBe(7);
  });

  it('whatever the bytes are, they pass or are refused', () => {
    const method = fc.constantFrom('RespondWorkflowTaskCompleted', 'ExecuteMultiOperation', 'DescribeNamespace');
    // Small numbers are the tags and lengths that lead somewhere.
    const bytes = fc.array(fc.oneof(fc.integer({ min: 0, max: 24 }), fc.constantFrom(0x4a, 0x62, 0x6a), fc.nat(255)), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(method, bytes, (name, message) => {
        expect([undefined, 3, 7]).toContain(judge(name, Uint8Array.from(message)));
      }),
      { numRuns: rounds(200, 2000) },
    );
  });

  it('what cannot be read is refused', () => {
    for (const bytes of [[0x0a, 0xff, 0x01], [0x0b], [0x0a], [0x07], Array(11).fill(0xff), [0x09, 1, 2]])
      expect(judge('QueryWorkflow', Uint8Array.from(bytes))).toBe(3);
    const { call } = called('QueryWorkflow');
    for (const body of [
      Buffer.alloc(0),
      Buffer.alloc(4),
      Buffer.from([0, 0, 0, 0, 9, 1]),
      Buffer.concat([framed(new Uint8Array()), framed(new Uint8Array())]),
    ])
      expect(() => checkMessage(body, undefined, call, OWN)).toThrow(/one whole message/);
  });
});
