import pino from 'pino';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError, type Scope, ValidationFailed } from '../../kit/http/index.ts';
import { callTool } from './call-tool.ts';
import { tool } from './tool.ts';

const scope = { permissions: new Set(['skills:read']) } as unknown as Scope;
const logged: string[] = [];
const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });

function throwing(error: Error) {
  return tool({
    name: 'failing',
    title: 'Failing',
    description: 'Fails.',
    permission: 'skills:read',
    effect: 'reads',
    input: z.strictObject({}),
    output: z.object({}),
    run: () => Promise.reject(error),
  });
}

it.each([
  [new ApiError(400, 'Send either version or alias.'), 'Send either version or alias.'],
  [new ApiError(403, 'Only the owner can do that.'), 'Permission denied: Only the owner can do that.'],
  [
    new ValidationFailed([{ type: 'value_error', loc: ['body', 'definition', 'body'], msg: 'hidden-unicode' }]),
    'body.definition.body: hidden-unicode',
  ],
])('what a service refuses is told in the result: %s', async (error, text) => {
  const result = await callTool([throwing(error)], scope, { name: 'failing' }, log);
  expect(result).toEqual({ isError: true, content: [{ type: 'text', text }] });
});

it('what nobody expected says nothing to the client and everything to the log', async () => {
  const result = await callTool([throwing(new Error('secret of the database'))], scope, { name: 'failing' }, log);
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result)).not.toContain('secret');
  expect(logged.join()).toContain('secret of the database');
});
