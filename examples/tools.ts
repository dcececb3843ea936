// Function calling: the model asks for a function, this program runs it, until the model has its answer.
import type { ChatCompletionRequest } from '@mistralai/mistralai/models/components';
import { connect, model } from './connect.ts';

const TURNS_MAX = 5;
const orders: Record<string, object> = {
  'A-17': { status: 'shipped', arrives: 'Thursday' },
  'B-04': { status: 'waiting for payment' },
};
const functions: Record<string, (given: { order_id: string }) => object> = {
  order_status: ({ order_id }) => orders[order_id] ?? { error: `There is no order ${order_id}.` },
};
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'order_status',
      description: 'Look up an order by its id',
      parameters: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
    },
  },
];

const client = await connect();
const question = process.argv[2] ?? 'When does my order A-17 arrive?';
const messages: ChatCompletionRequest['messages'] = [{ role: 'user', content: question }];

for (let turn = 1; turn <= TURNS_MAX; turn++) {
  // A small model often forgets its functions; the first turn has to call one.
  const toolChoice = turn === 1 ? 'any' : 'auto';
  const { choices } = await client.chat.complete({ model, messages, tools, toolChoice });
  const message = choices[0]?.message;
  if (!message?.toolCalls?.length) {
    console.log(message?.content);
    break;
  }
  messages.push({ ...message, role: 'assistant' });
  for (const call of message.toolCalls) {
    const { name, arguments: given } = call.function;
    const input = typeof given === 'string' ? JSON.parse(given) : given;
    const result = JSON.stringify(functions[name]?.(input) ?? { error: `There is no function ${name}.` });
    console.log(`${name}(${JSON.stringify(input)}) → ${result}`);
    messages.push({ role: 'tool', name, toolCallId: call.id, content: result });
  }
}
