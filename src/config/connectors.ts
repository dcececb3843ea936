import { z } from 'zod';
import { PerOrganization } from './per-organization.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'A variable has no such name');
const path = z.string().regex(/^\/[^\0]*$/, 'Give an absolute path');

/** A program of this machine that speaks over its standard input and output, in a sandbox. */
const Program = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(variable, z.string()).default({}),
  token_variable: variable.optional(),
  /** Whether it shares the network of the machine. */
  network: z.boolean().default(false),
  /** Files and directories that it may read besides those of the system, and those that it may write. */
  read: z.array(path).default([]),
  write: z.array(path).default([]),
  memory_mib: z.int().min(32).max(65_536).default(512),
  processes_max: z.int().min(1).max(4096).default(64),
  /** How many run at the same time. */
  concurrency: z.int().min(1).max(256).default(8),
  per_organization: PerOrganization,
});

/** A server of the Model Context Protocol. It may be reached even where its address is not public. */
const Shape = z.strictObject({
  id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'An id has 1 to 64 letters, digits, _ and -'),
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !/^https?:\/\/[^/]*@/.test(url), 'Give credentials under headers, not in the url')
    .optional(),
  stdio: Program.optional(),
  description: z.string().optional(),
  headers: z
    .record(
      z.string().regex(HEADER_NAME, 'A header has no such name'),
      // The message must not repeat the value.
      z.string().regex(HEADER_VALUE, 'A header has no such value'),
    )
    .default({}),
  api_key_header: z.string().regex(HEADER_NAME, 'A header has no such name').default('authorization'),
  timeout_seconds: z.number().positive().max(600).default(60),
  result_limit_kib: z.int().min(1).max(1024).default(64),
  workspaces: z.array(z.guid()).min(1).optional(),
});

export const Connector = Shape.refine(
  ({ url, stdio }) => (url === undefined) !== (stdio === undefined),
  'A connector has either a url or stdio',
).refine(
  ({ stdio, headers }) => !stdio || Object.keys(headers).length === 0,
  'A program has no headers: give it variables under stdio.env',
);
