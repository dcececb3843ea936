// Starts an execution, shows the draft that waits for approval, and sends what you decide. Needs Node 20 and no package.
import { createInterface } from 'node:readline/promises';

const url = process.env.TRAMONTANE_URL ?? 'http://127.0.0.1:4747';
const apiKey = process.env.TRAMONTANE_API_KEY;
if (!apiKey) throw new Error('Set TRAMONTANE_API_KEY to the key that tramontane start printed.');

async function call(path, body) {
  const response = await fetch(`${url}/v1/workflows${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

const question = process.argv[2] ?? 'Do you repair bicycles on Saturdays?';
const { execution_id: id } = await call('/support-agent/execute', {
  input: { from: 'ann@example.com', question },
});
process.stdout.write(`Execution ${id}\n`);

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const lines = terminal[Symbol.asyncIterator]();
const asked = new Set();
for (;;) {
  const execution = await call(`/executions/${id}`);
  if (execution.status !== 'RUNNING') {
    process.stdout.write(`${execution.status}: ${JSON.stringify(execution.result)}\n`);
    break;
  }
  const { result } = await call(`/executions/${id}/queries`, { name: '__get_pending_inputs' });
  const pending = result.pending_inputs.find(({ task_id }) => !asked.has(task_id));
  if (!pending) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    continue;
  }
  asked.add(pending.task_id);
  process.stdout.write(`\n${pending.label}\n\nEnter y to send it, or what to change: `);
  const words = String((await lines.next()).value ?? 'y').trim();
  const input = /^(y|yes|)$/i.test(words) ? { approved: true } : { approved: false, comment: words };
  await call(`/executions/${id}/updates`, { name: '__submit_input', input: { task_id: pending.task_id, input } });
}
terminal.close();
