// The prompt registry: versions, an alias that moves, and the prompt in the place of a model.
import { apiKey, connect, model, url } from './connect.ts';

const client = await connect();
const { prompts } = client.beta;
const name = `greeting-${Date.now()}`;
const variables = [{ name: 'customer' }];

const { id: promptId = name } = await prompts.create({
  name,
  definition: { content: 'Greet {{customer}} in one sentence.', variables },
  aliases: ['production'],
});
await prompts.createVersion(promptId, {
  definition: { content: 'Greet {{customer}} warmly, in one sentence.', variables },
  notes: 'Warmer',
  aliases: ['production'],
});
const current = await prompts.get({ promptId, alias: 'production' });
console.log(`${name}@production is version ${current.version}: ${current.definition?.content}`);

// Beyond the published API: a prompt that has a model can be used as one.
await fetch(`${url}/v2/prompts/${promptId}/model`, {
  method: 'PUT',
  headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model }),
});
const response = await client.chat.complete({
  model: `prompt:${name}@production`,
  messages: [{ role: 'user', content: 'Hello!' }],
  metadata: { variables: { customer: 'Ms Ito' } },
});
console.log(response.choices[0]?.message?.content);
await prompts.delete({ promptId });
