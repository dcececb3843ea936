// A reply that fits a schema: the server holds the model to it, the SDK parses it.
import { z } from 'zod';
import { connect, model } from './connect.ts';

const Contact = z.object({ name: z.string(), city: z.string(), urgent: z.boolean() });

const client = await connect();
const mail = process.argv[2] ?? 'Hello, this is Ada from Perpignan. The roof is leaking, please call me back today!';
const response = await client.chat.parse({
  model,
  messages: [{ role: 'user', content: `Who wrote this, where from, and is it urgent?\n\n${mail}` }],
  responseFormat: Contact,
});
const contact = Contact.parse(response.choices?.[0]?.message?.parsed);

console.log(`${contact.name} from ${contact.city}${contact.urgent ? ': call back today' : ''}`);
