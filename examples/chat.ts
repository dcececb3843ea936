// One question, one reply.
import { connect, model } from './connect.ts';

const client = await connect();
const question = process.argv[2] ?? 'Which wind blows beside the mistral?';
const response = await client.chat.complete({ model, messages: [{ role: 'user', content: question }] });

console.log(response.choices[0]?.message?.content);
console.log(`(${response.model}, ${response.usage.totalTokens} tokens)`);
