import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPlatform } from '../campaigns/serve/start-platform.ts';
import { startScriptedModel } from './scripted-model.ts';
import { startConnector } from './start-connector.ts';

export type ClientsServer = { url: string; key: string; stop(): Promise<void> };

/** A server with a scripted model for everything that a model writes, and the built-in engines for speech and OCR. */
export async function startServer(onLog?: (line: string) => void): Promise<ClientsServer> {
  const directory = mkdtempSync(join(tmpdir(), 'tramontane-clients-server-'));
  const model = await startScriptedModel();
  const connector = await startConnector();
  const { url } = model;
  const server = await startPlatform({
    directory,
    ...(onLog && { onLog }),
    file: {
      models: [
        { id: 'small', engine: 'upstream', url, kind: 'code', capabilities: { function_calling: true, vision: true } },
        { id: 'vectors', engine: 'upstream', url, kind: 'embeddings' },
        { id: 'ear', engine: 'upstream', url, kind: 'transcription' },
        { id: 'tesseract', engine: 'tesseract' },
      ],
      connectors: [{ id: 'winds', url: connector.url, description: 'The winds of the Mediterranean' }],
    },
  });
  return {
    url: server.url,
    key: server.key,
    async stop() {
      await server.stop();
      model.stop();
      connector.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
