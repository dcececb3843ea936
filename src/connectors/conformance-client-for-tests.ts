import { createLog } from '../kit/base/log.ts';
import { createOutbound } from '../kit/outbound/index.ts';
import { createConnectionService } from './index.ts';

// What the official suite runs as a client: a connector at the address in the last argument, and a call of each tool.
type Schema = { properties?: Record<string, { type?: string }> };
type Context = { toolCalls?: { name: string; arguments: Record<string, unknown> }[] };

const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Context;
const outbound = createOutbound({ allow: [new URL(url).host] });
const connectors = createConnectionService({
  connectors: [
    { id: 'suite', url, headers: {}, api_key_header: 'authorization', timeout_seconds: 20, result_limit_kib: 64 },
  ],
  outbound,
  version: '1.0.0',
  now: () => performance.now(),
  log: createLog('error'),
});
const consumer = { organization_id: 'o', workspace_id: 'w', user_id: 'u' };
const connection = await connectors.connect(consumer, 'suite');
const calls =
  context.toolCalls ??
  connection.tools.map(({ name, parameters }) => ({ name, arguments: argumentsFor(parameters as Schema) }));
// The suite wants to see one schema as the client got it.
const echoed = connection.tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.parameters;
for (const { name, arguments: given } of calls) if (name === 'json_schema_echo') given.schema = echoed;
// A tool that fails is no failure of the client.
for (const { name, arguments: given } of calls)
  await connection.call(name, given, new AbortController().signal).catch(() => undefined);
await connection.close();
await connectors.close();
await outbound.close();

function argumentsFor({ properties = {} }: Schema): Record<string, unknown> {
  const valueFor = (type?: string) =>
    type === 'number' || type === 'integer' ? 5 : type === 'boolean' ? true : 'text';
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, valueFor(type)]));
}
