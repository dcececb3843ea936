import { startWorker, type Worker } from '../../packages/workflows/src/worker/index.ts';
import type { Platform } from '../../src/compose/open-platform.ts';
import { steps, workflows } from './order-workflows.ts';

export type Access = { url: string; key: string };

const DAY_MS = 24 * 60 * 60 * 1000;
const VERSIONS = [
  ['You answer customers of a bicycle shop. Be brief.', 'first'],
  ['You answer customers of a bicycle shop, kindly and in at most three sentences.', 'kinder, shorter'],
  [
    'You answer {{customer}}, a customer of a bicycle shop, kindly and in at most three sentences.\nOpening hours: {{hours}}.',
    'names and hours are variables',
  ],
  [
    'You answer {{customer}}, a customer of a bicycle shop, in a warm tone and in at most four sentences.\nOpening hours: {{hours}}.\nNever promise a date for spare parts. If you do not know, say that a mechanic will call back.',
    'no promises about parts, after the complaint of 3 November',
  ],
] as const;

export async function request(access: Access, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${access.key}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${access.url}${path}`, init);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${answer}`);
  return JSON.parse(answer || '{}') as Record<string, unknown>;
}

/** A prompt with a history, and some neighbours. */
export async function seedPrompts(access: Access): Promise<void> {
  const others = ['invoice-summary', 'release-notes', 'translate-letter', 'product-description'];
  for (const name of others) await request(access, '/v2/prompts', { name, definition: { content: `Write ${name}.` } });
  const [[content, notes], ...later] = VERSIONS;
  await request(access, '/v2/prompts', { name: 'support-reply', definition: { content }, notes });
  for (const [at, [text, note]] of later.entries()) {
    const aliases = { 1: ['production'], 2: ['staging'] }[at] ?? [];
    await request(access, '/v2/prompts/support-reply/versions', {
      definition: { content: text },
      notes: note,
      aliases,
    });
  }
}

/** A month of usage, as the ledger would have summed it up. The numbers are made by a formula, not by chance. */
export async function seedUsage({ database }: Platform, now: number): Promise<void> {
  const { db } = database;
  const key = await db
    .selectFrom('api_keys')
    .innerJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .select(['api_keys.id as key_id', 'workspaces.id as workspace_id', 'workspaces.organization_id'])
    .executeTakeFirstOrThrow();
  const models = [
    { model: 'qwen3-32b', share: 1, price: 0.42 },
    { model: 'devstral-24b', share: 0.55, price: 0.3 },
    { model: 'qwen2.5-coder-1.5b-instruct', share: 0.3, price: 0 },
  ];
  const rows = models.flatMap(({ model, share, price }, m) =>
    Array.from({ length: 30 }, (_, ago) => {
      const at = new Date(now - ago * DAY_MS);
      const isWeekend = [0, 6].includes(at.getUTCDay());
      const wave = 1 + 0.35 * Math.sin(ago / 3.1 + m) + 0.2 * Math.sin(ago * 1.7 + 2 * m);
      const requests = Math.round(share * 2400 * wave * (isWeekend ? 0.35 : 1) * (1 - ago / 70));
      const prompt_tokens = requests * (610 + 40 * m);
      const completion_tokens = requests * (190 - 30 * m);
      const cost_micros = Math.round((prompt_tokens + completion_tokens * 3) * price);
      const day = at.toISOString().slice(0, 10);
      return {
        ...key,
        day,
        model,
        kind: 'chat',
        requests,
        prompt_tokens,
        completion_tokens,
        cached_tokens: 0,
        cost_micros,
      };
    }),
  );
  await db.insertInto('usage_daily').values(rows).execute();
}

/** An execution with steps, a retry, an approval and a child. */
export async function seedExecution(access: Access): Promise<{ worker: Worker; execution: string }> {
  const worker = await startWorker({ url: access.url, apiKey: access.key, workflows, steps, name: 'shop-worker-1' });
  const execution = 'order-A-1042';
  const body = { execution_id: execution, input: { order: 'A-1042', cents: 18900 } };
  await request(access, '/v1/workflows/fulfil-order/execute', body);
  await answer(access, execution);
  return { worker, execution };
}

/** Releases the order as soon as it is asked for, and waits for the end. */
async function answer(access: Access, id: string): Promise<void> {
  const path = `/v1/workflows/executions/${id}`;
  for (;;) {
    const { result } = (await request(access, `${path}/queries`, { name: '__get_pending_inputs' })) as {
      result: { pending_inputs: { task_id: string }[] };
    };
    const [pending] = result.pending_inputs;
    if (!pending) continue;
    await new Promise((resolve) => setTimeout(resolve, 900));
    const input = { task_id: pending.task_id, input: { approved: true, note: 'known customer' } };
    await request(access, `${path}/updates`, { name: '__submit_input', input });
    break;
  }
  while ((await request(access, path)).status === 'RUNNING') await new Promise((resolve) => setTimeout(resolve, 100));
}
