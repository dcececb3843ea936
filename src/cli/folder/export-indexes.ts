import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../shell/api-client.ts';
import { indexDocumentsName, indexFileName, indexFileText } from './index-file.ts';
import { createLabels } from './label-objects.ts';
import { listIndexDocuments, listIndexes, readSummaries } from './remote-indexes.ts';
import { writeFiles } from './safe-files.ts';
import { textFile } from './text-file.ts';

/** Writes each search index as its definition and a line for each document, with vectors only where they came with it. */
export async function exportIndexes(
  api: ApiClient,
  root: string,
  onProgress: (name: string) => void,
): Promise<{ name: string; documents: number }[]> {
  const labelFor = createLabels();
  const exported: { name: string; documents: number }[] = [];
  for (const index of await listIndexes(api)) {
    const label = labelFor(index.name);
    const summaries = await readSummaries(api, index.name);
    const text = indexFileText({ ...index, ...(Object.keys(summaries).length > 0 && { summaries }) });
    await writeFiles(root, new Map([[indexFileName(label), textFile(text)]]));
    await mkdir(root, { recursive: true });
    const file = await open(join(root, indexDocumentsName(label)), 'wx', 0o644);
    let documents = 0;
    try {
      for await (const document of listIndexDocuments(api, index.name)) {
        await file.write(`${JSON.stringify(document)}\n`);
        documents++;
        onProgress(index.name);
      }
    } finally {
      await file.close();
    }
    exported.push({ name: index.name, documents });
  }
  return exported;
}
