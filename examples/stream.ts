// A reply, printed while the model writes it.
import { connect, model } from './connect.ts';

const client = await connect();
const question = process.argv[2] ?? 'Tell me a story about the wind in three sentences.';
const stream = await client.chat.stream({ model, messages: [{ role: 'user', content: question }] });

for await (const { data } of stream) {
  process.stdout.write(String(data.choices[0]?.delta.content ?? ''));
  if (data.usage) process.stdout.write(`\n(${data.usage.completionTokens} tokens)\n`);
}
