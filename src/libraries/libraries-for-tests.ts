import { call } from '../../test/support/call.ts';
import type { TestServer } from '../../test/support/server.ts';
import type { Document, Library } from './schema.ts';

type Who = { key?: string | undefined; headers?: Record<string, string> };

export async function makeLibrary(server: TestServer, more: object = {}, { key }: Who = {}): Promise<Library> {
  const { body } = await call(server, '/v1/libraries', { key, body: { name: 'Papers', ...more } });
  return body as Library;
}

export async function send(
  server: TestServer,
  libraryId: string,
  name: string,
  content: string | Uint8Array,
  { key = server.key, headers = {} }: Who = {},
): Promise<{ status: number; body: Document; headers: Headers }> {
  const form = new FormData();
  form.append('file', new Blob([content as string]), name);
  const response = await fetch(`${server.url}/v1/libraries/${libraryId}/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as Document, headers: response.headers };
}

/** The document once it has been read, or could not be; `reason` is in a header. */
export async function whenRead(
  server: TestServer,
  { library_id, id }: Pick<Document, 'library_id' | 'id'>,
  key?: string,
): Promise<Document & { reason: string | null }> {
  // Each look is a whole request, so the waits between them grow.
  for (let waitMs = 10; ; waitMs = Math.min(2 * waitMs, 100)) {
    const answer = await call(server, `/v1/libraries/${library_id}/documents/${id}`, { key });
    const document = answer.body as Document;
    if (document.processing_status !== 'Running')
      return { ...document, reason: answer.headers.get('tramontane-error') };
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

export async function upload(
  server: TestServer,
  libraryId: string,
  name: string,
  content: string | Uint8Array,
): Promise<Document & { reason: string | null }> {
  return whenRead(server, (await send(server, libraryId, name, content)).body);
}

export async function textOf(server: TestServer, { library_id, id }: Document, query = ''): Promise<string> {
  const { body } = await call(server, `/v1/libraries/${library_id}/documents/${id}/text_content${query}`);
  return (body as { text: string }).text;
}
