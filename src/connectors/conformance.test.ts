import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inFull } from '../../test/support/in-full.ts';
import { scriptFile } from '../../test/support/programs.ts';
import { rounds } from '../../test/support/rounds.ts';
import { runClientScenario } from '../mcp/run-conformance-for-tests.ts';

const run = (file: URL) => `${process.execPath} ${scriptFile(fileURLToPath(file))}`;
const client = run(new URL('conformance-client-for-tests.ts', import.meta.url));
const person = run(new URL('conformance-sign-in-for-tests.ts', import.meta.url));

// Those that are left out are in docs/connectors.md, with the reason.
const scenarios = [
  ['2025-11-25', 'initialize'],
  ['2025-11-25', 'tools_call'],
  ['2025-11-25', 'sse-retry'],
  ['2026-07-28', 'tools_call'],
  ['2026-07-28', 'request-metadata'],
  ['2026-07-28', 'http-standard-headers'],
  ['2026-07-28', 'http-custom-headers'],
  ['2026-07-28', 'http-invalid-tool-headers'],
  ['2026-07-28', 'json-schema-ref-no-deref'],
  ['2025-11-25', 'json-schema-2020-12-preservation'],
  ['2026-07-28', 'json-schema-2020-12-preservation'],
] as const;

const OF_BOTH = [
  ...['metadata-default', 'metadata-var1', 'metadata-var2', 'metadata-var3', 'basic-cimd'],
  ...['scope-from-www-authenticate', 'scope-from-scopes-supported', 'scope-omitted-when-undefined'],
  ...['scope-step-up', 'scope-retry-limit', 'pre-registration', 'client-credentials-basic'],
  ...['token-endpoint-auth-basic', 'token-endpoint-auth-post', 'token-endpoint-auth-none'],
];
const OF_THE_NEWER = [
  ...['resource-mismatch', 'offline-access-scope', 'offline-access-not-supported', 'authorization-server-migration'],
  ...['iss-supported', 'iss-not-advertised', 'iss-supported-missing', 'iss-wrong-issuer', 'iss-unexpected'],
  ...['iss-normalized', 'metadata-issuer-mismatch'],
];
const signIns = [
  ...OF_BOTH.flatMap((name) => ['2025-11-25', '2026-07-28'].map((revision) => [revision, name] as const)),
  ...OF_THE_NEWER.map((name) => ['2026-07-28', name] as const),
  ['2025-03-26', '2025-03-26-oauth-metadata-backcompat'] as const,
];

describe('the official conformance suite for clients', () => {
  it.each(rounds(scenarios.slice(3, 4), [...scenarios]))(
    'finds nothing in a connector: %s %s',
    async (revision, scenario) => {
      const findings = await runClientScenario(client, revision, scenario);
      expect([...findings.values()]).toEqual([[]]);
    },
    60_000,
  );

  inFull.it.each(signIns)(
    'finds nothing in a sign-in: %s %s',
    async (revision, name) => {
      const findings = await runClientScenario(person, revision, `auth/${name}`);
      expect([...findings.values()]).toEqual([[]]);
    },
    60_000,
  );
});
