import type { Answer } from '../../test/support/call.ts';
import type { TestServer } from '../../test/support/server.ts';

type Fields = Record<string, string>;
type Options = { key?: string; headers?: Record<string, string>; filename?: string; type?: string };

/** One upload over the wire; the fields come after the file, as the official TypeScript SDK sends them. */
export function upload(
  server: Pick<TestServer, 'url' | 'key'>,
  content: string | Uint8Array,
  fields: Fields = {},
  options: Options = {},
): Promise<Answer> {
  const form = new FormData();
  form.append(
    'file',
    new Blob([content as Uint8Array<ArrayBuffer>], { type: options.type ?? '' }),
    options.filename ?? 'a.jsonl',
  );
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return send(server, form, options);
}

export async function send(
  server: Pick<TestServer, 'url' | 'key'>,
  form: FormData,
  { key = server.key, headers = {} }: Options = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown };
}

export type FileBody = { id: string; bytes: number; filename: string; created_at: number } & Record<string, unknown>;

export async function uploaded(...args: Parameters<typeof upload>): Promise<FileBody> {
  const answer = await upload(...args);
  if (answer.status !== 200) throw new Error(`The upload was answered with ${answer.status}: ${answer.text}`);
  return answer.body as FileBody;
}
