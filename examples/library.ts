// Questions about your own documents: a library reads and indexes them, and the model cites where it found the answer.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, model } from './connect.ts';

const client = await connect();
const { libraries, conversations } = client.beta;
const question = process.argv[2] ?? 'What is the total of the invoice?';
const paths = process.argv.length > 3 ? process.argv.slice(3) : [`${import.meta.dirname}/invoice.pdf`];

const { id: libraryId } = await libraries.create({ name: 'Example', description: 'Made by an example.' });
for (const path of paths) {
  const file = { fileName: basename(path), content: await readFile(path) };
  const { id: documentId } = await libraries.documents.upload({ libraryId, requestBody: { file } });
  let document = await libraries.documents.get({ libraryId, documentId });
  for (; document.processStatus !== 'done' && document.processStatus !== 'error'; await sleep(500))
    document = await libraries.documents.get({ libraryId, documentId });
  console.log(`${document.name}: ${document.processStatus}, ${document.numberOfPages ?? 0} page(s)`);
}

const { outputs } = await conversations.start({
  model,
  inputs: question,
  tools: [{ type: 'document_library', libraryIds: [libraryId] }],
});
for (const entry of outputs) {
  if (entry.type !== 'message.output') continue;
  const parts = typeof entry.content === 'string' ? [{ type: 'text' as const, text: entry.content }] : entry.content;
  for (const part of parts) {
    if (part.type === 'text') process.stdout.write(part.text);
    if (part.type === 'tool_reference') process.stdout.write(` [${part.title}]`);
  }
  process.stdout.write('\n');
}
await libraries.delete({ libraryId });
