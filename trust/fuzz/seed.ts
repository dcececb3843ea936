import { defineStep, defineWorkflow } from '../../packages/workflows/src/index.ts';
import { startWorker, type Worker } from '../../packages/workflows/src/worker/index.ts';

export type Fuzzed = { url: string; standardKey: string; adminKey: string };

type Seed = [surface: 'standard' | 'admin', path: string, body: object];

const messages = [{ role: 'user', content: 'Hello' }];

/** One of each noun, so that the first lists are not empty and the first ids lead somewhere. */
const seeds: Seed[] = [
  ['standard', '/v2/prompts', { name: 'greeting', definition: { content: 'Hello {{name}}' }, aliases: ['production'] }],
  ['standard', '/v2/skills', { name: 'notes', definition: { description: 'Takes notes', body: 'Write it down.' } }],
  ['standard', '/v1/agents', { model: 'scripted', name: 'Helper' }],
  ['standard', '/v1/conversations', { model: 'scripted', inputs: 'Hello' }],
  [
    'standard',
    '/v1/batch/jobs',
    { endpoint: '/v1/chat/completions', model: 'scripted', requests: [{ body: { messages } }] },
  ],
  ['standard', '/v1/workflows/short/execute', { input: {} }],
  ['standard', '/v1/workflows/long/execute', { input: {} }],
  [
    'standard',
    '/v1/workflows/schedules',
    { workflow_identifier: 'short', schedule: { input: {}, intervals: [{ every: 'PT1H' }] } },
  ],
  ['admin', '/v1/admin/user-groups', { name: 'Writers' }],
];

export async function seed(server: Fuzzed): Promise<void> {
  for (const [surface, path, body] of seeds) {
    const key = surface === 'admin' ? server.adminKey : server.standardKey;
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }
}

const echo = defineStep('echo', async (input: unknown) => input ?? null);

const short = defineWorkflow('short', {}, async (ctx, input) => ctx.step(echo, input));

const long = defineWorkflow('long', { executionTimeoutMs: 3_600_000 }, async (ctx) => {
  await ctx.sleep(3_500_000);
});

/** Serves two workflows, one that ends at once and one that outlasts the campaign. */
export function work({ url, standardKey }: Fuzzed): Promise<Worker> {
  return startWorker({ url, apiKey: standardKey, workflows: [short, long], steps: [echo] });
}
