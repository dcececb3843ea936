// A question about a document: OCR on the server makes it Markdown, and the model reads that.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { connect, model } from './connect.ts';

const client = await connect();
const path = process.argv[2] ?? `${import.meta.dirname}/invoice.pdf`;
const question = process.argv[3] ?? 'What is the total, and until when must it be paid?';

const file = { fileName: basename(path), content: await readFile(path) };
const { id: fileId } = await client.files.upload({ file, purpose: 'ocr' });
const { pages } = await client.ocr.process({ model: 'mistral-ocr-latest', document: { type: 'file', fileId } });
await client.files.delete({ fileId });
const markdown = pages.map((page) => page.markdown).join('\n\n');
console.log(`${basename(path)}: ${pages.length} page(s), ${markdown.length} characters`);

const response = await client.chat.complete({
  model,
  messages: [
    { role: 'system', content: `Answer from this document only.\n\n${markdown}` },
    { role: 'user', content: question },
  ],
});
console.log(response.choices[0]?.message?.content);
