// An agent that may run Python on the server, but only what a person has allowed.
import { createInterface } from 'node:readline/promises';
import { connect, model } from './connect.ts';

const client = await connect();
const agent = await client.beta.agents.create({
  model,
  name: 'Calculator',
  instructions: 'Compute with Python. Say the result in one sentence.',
  tools: [{ type: 'code_interpreter', toolConfiguration: { requiresConfirmation: ['code_interpreter'] } }],
});

const question = process.argv[2] ?? 'What is the sum of the first hundred primes?';
let response = await client.beta.conversations.start({ agentId: agent.id, inputs: question });
for (;;) {
  const waiting = [];
  for (const entry of response.outputs) {
    if (entry.type === 'message.output') console.log(entry.content);
    if (entry.type === 'function.call' && entry.confirmationStatus === 'pending') waiting.push(entry);
  }
  if (waiting.length === 0) break;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const toolConfirmations = [];
  for (const { name, arguments: given, toolCallId } of waiting) {
    const reply = await terminal.question(`${name} wants to run:\n${JSON.stringify(given)}\nAllow it? (y/n) `);
    toolConfirmations.push({
      toolCallId,
      confirmation: reply.startsWith('y') ? ('allow' as const) : ('deny' as const),
    });
  }
  terminal.close();
  const { conversationId } = response;
  response = await client.beta.conversations.append({
    conversationId,
    conversationAppendRequest: { toolConfirmations },
  });
}
await client.beta.agents.delete({ agentId: agent.id });
