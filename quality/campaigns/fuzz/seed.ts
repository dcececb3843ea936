import { defineStep, defineWorkflow } from '../../../packages/workflows/src/index.ts';
import { startWorker, type Worker } from '../../../packages/workflows/src/worker/index.ts';

export type Keys = { url: string; standardKey: string; adminKey: string };

/** The seeded objects, by the names of the parameters and fields that refer to them. */
export type Known = Record<string, string[]>;

type Json = { [name: string]: unknown };
type Call = { path: string; body?: object; learn?: (answer: Json) => Known };

const messages = [{ role: 'user', content: 'Hello' }];
const notes = { description: 'Takes notes', body: 'Write it down.' };
const hourly = { input: {}, intervals: [{ every: 'PT1H' }] };
const listed = (value: unknown) => value as Json[];

/** Creates one of each noun, so that lists are not empty and some ids exist. */
const standard: Call[] = [
  {
    path: '/v2/prompts',
    body: { name: 'greeting', definition: { content: 'Hello {{name}}' }, aliases: ['production'] },
    learn: ({ id }) => known({ prompt_id: id }),
  },
  {
    path: '/v2/skills',
    body: { name: 'notes', definition: notes, aliases: ['published'], sharingScope: 'workspace' },
    learn: ({ id, name }) => known({ skill_id: id, skill: name }),
  },
  { path: '/v1/agents', body: { model: 'scripted', name: 'Helper' }, learn: ({ id }) => known({ agent_id: id }) },
  {
    path: '/v1/conversations',
    body: { model: 'scripted', inputs: 'Hello' },
    learn: ({ conversation_id }) => known({ conversation_id }),
  },
  {
    path: '/v1/batch/jobs',
    body: { endpoint: '/v1/chat/completions', model: 'scripted', requests: [{ body: { messages } }] },
    learn: ({ id }) => known({ job_id: id }),
  },
  { path: '/v1/workflows/short/execute', body: { input: {} } },
  {
    path: '/v1/workflows/long/execute',
    body: { input: {} },
    learn: ({ execution_id, run_id }) => known({ execution_id, run_id }),
  },
  {
    path: '/v1/workflows/schedules',
    body: { workflow_identifier: 'short', schedule: hourly },
    learn: ({ schedule_id }) => known({ schedule_id }),
  },
  {
    path: '/v1/workflows/registrations',
    learn: ({ workflow_registrations }) => known({ workflow_registration_id: listed(workflow_registrations)[0]?.id }),
  },
];

const admin: Call[] = [
  {
    path: '/v1/admin/users',
    learn: ({ members }) => known({ user_id: listed(members)[0]?.uuid, admin_user_id: listed(members)[0]?.uuid }),
  },
  {
    path: '/v1/admin/workspaces',
    learn: ({ items }) => known({ workspace_uuid: listed(items)[0]?.uuid }),
  },
  {
    path: '/v1/admin/user-groups',
    body: { name: 'Writers' },
    learn: ({ uuid }) => known({ group_uuid: uuid, user_group_uuid: uuid }),
  },
];

const fixed: Known = {
  workflow_identifier: ['short', 'long'],
  workflow_name: ['short', 'long'],
  name: ['default'],
  model_id: ['scripted'],
};

export async function seed({ url, standardKey, adminKey }: Keys): Promise<Known> {
  const found: Known = { ...fixed };
  for (const [key, calls] of [
    [standardKey, standard],
    [adminKey, admin],
  ] as const) {
    for (const { path, body, learn } of calls) {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      });
      const answer = (await response.json()) as Json;
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
      Object.assign(found, learn?.(answer));
    }
  }
  return found;
}

function known(values: Json): Known {
  const missing = Object.keys(values).filter((name) => typeof values[name] !== 'string');
  if (missing.length > 0) throw new Error(`an answer does not say ${missing.join(', ')}`);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [String(value)]]));
}

const echo = defineStep('echo', async (input: unknown) => input ?? null);

const short = defineWorkflow('short', {}, async (ctx, input) => ctx.step(echo, input));

const long = defineWorkflow('long', { executionTimeoutMs: 86_400_000 }, async (ctx) => {
  await ctx.sleep(86_000_000);
});

/** Serves two workflows, one that ends at once and one that outlasts the campaign. */
export function work({ url, standardKey }: Keys): Promise<Worker> {
  return startWorker({ url, apiKey: standardKey, workflows: [short, long], steps: [echo] });
}
