import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Mistral } from '@mistralai/mistralai';
import { HTTPValidationError, MistralError, ResponseValidationError } from '@mistralai/mistralai/models/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyRoute, ApiError, route, ValidationFailed } from '../../src/kit/http/index.ts';
import { sqliteForTests } from '../support/databases.ts';
import { python } from '../support/python.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const families = { libraries: '/v1/libraries/x', workflows: '/v1/workflows/executions/x/trace/otel' };
type Family = keyof typeof families;

let failure: Error;
let server: TestServer;
beforeAll(async () => {
  // Paths that no room has, or one more exact than a room's: the SDK handles our error bodies the same way.
  const failing = (path: string): AnyRoute =>
    route({
      method: 'GET',
      path,
      operationId: `failing_${path}`,
      summary: 'Fail',
      permission: 'identity:read',
      hidden: true,
      query: z.looseObject({}),
      handler: () => {
        throw failure;
      },
    });
  server = await startTestServer(sqliteForTests(), { extraRoutes: () => Object.values(families).map(failing) });
});

const statuses = [400, 401, 403, 404, 405, 409, 412, 413, 415, 429, 500, 503];
const item = { type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra inputs are not permitted', input: false };
const failures: [string, Error][] = [
  ...statuses.map((status): [string, Error] => [String(status), new ApiError(status, 'No.')]),
  ['422', new ValidationFailed([item])],
  ['an unknown error', new Error('inside')],
];

describe.each(Object.keys(families) as Family[])('%s, in the official TypeScript SDK', (family) => {
  it.each(failures)('%s is a typed error', async (_name, error) => {
    failure = error;
    const client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
    const calls = {
      libraries: () => client.beta.libraries.get({ libraryId: 'x' }),
      workflows: () => client.workflows.executions.getWorkflowExecutionTraceOtel({ executionId: 'x' }),
    };
    const raised = await Promise.resolve(calls[family]()).then(
      () => undefined,
      (problem: unknown) => problem,
    );
    expect(raised).toBeInstanceOf(MistralError);
    expect(raised).not.toBeInstanceOf(ResponseValidationError);
    expect((raised as MistralError).statusCode).toBe(statusOf(error));
    if (error instanceof ValidationFailed) {
      expect(raised).toBeInstanceOf(HTTPValidationError);
      expect((raised as HTTPValidationError).detail?.[0]).toMatchObject({
        type: item.type,
        loc: item.loc,
        msg: item.msg,
      });
    }
  });
});

const inference = {
  object: 'error',
  message: "The field 'temperature' is not valid: Input should be less than or equal to 1.5.",
  type: 'invalid_request_error',
  param: 'temperature',
  code: 'less_than_equal',
  detail: [expect.objectContaining({ type: 'less_than_equal', loc: ['body', 'temperature'] })],
};

it('a 422 of inference is the same error in the TypeScript SDK, with a sentence in its body [CHAT-422]', async () => {
  const client = new Mistral({ serverURL: server.url, apiKey: server.key, retryConfig: { strategy: 'none' } });
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const raised = await client.chat.complete({ model: 'small', messages, temperature: 9 }).catch((error) => error);
  expect(raised).toBeInstanceOf(HTTPValidationError);
  expect((raised as HTTPValidationError).detail?.[0]).toMatchObject({ type: 'less_than_equal' });
  expect(JSON.parse((raised as HTTPValidationError).body)).toEqual(inference);
});

describe.runIf(python)('the official Python SDK', () => {
  const script = fileURLToPath(new URL('./errors.py', import.meta.url));
  let ask: (name: string) => Promise<Record<string, unknown>>;
  let end: () => void;
  beforeAll(() => {
    const child = spawn(python ?? '', [script, server.url, server.key], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    ask = async (name) => {
      child.stdin.write(`${name}\n`);
      return JSON.parse((await lines.next()).value ?? '{}') as Record<string, unknown>;
    };
    end = () => child.stdin.end();
  });
  afterAll(() => end());

  it('reads a plain answer', async () => {
    expect(await ask('models')).toEqual({ error: null });
  });

  it('reads a 422 of inference as it always did', async () => {
    const raised = await ask('chat');
    expect(raised).toMatchObject({ error: 'HTTPValidationError', status: 422, types: ['less_than_equal'] });
    expect(JSON.parse(raised.body as string)).toEqual(inference);
  });

  it.each(
    (Object.keys(families) as Family[]).flatMap((family) =>
      failures.map(([name, error]) => [family, name, error] as const),
    ),
  )('%s: %s is a typed error', async (family, _name, error) => {
    failure = error;
    const raised = await ask(family);
    expect(raised).toMatchObject({ status: statusOf(error), is_validation_of_sdk: false });
    expect(raised.error).toBe(error instanceof ValidationFailed ? 'HTTPValidationError' : 'SDKError');
    if (error instanceof ValidationFailed) expect(raised.types).toEqual([item.type]);
  });
});
function statusOf(error: Error): number {
  if (error instanceof ValidationFailed) return 422;
  return error instanceof ApiError ? error.status : 500;
}
