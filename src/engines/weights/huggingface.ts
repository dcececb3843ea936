import { PullFailed, reasonOf, SourceFailed } from './errors.ts';
import { explainHttpError, explainStatus, get } from './http.ts';

const DEFAULT_BASE_URL = 'https://huggingface.co';
const LIST_MS = 10_000;
/** The largest repositories list some ten thousand files, with a hundred bytes each. */
const LIST_BYTES_MAX = 8 * 1024 * 1024;
/** The usual trade between size and quality first. */
const PREFERRED = [/q4_k_m/i, /q4_k_s/i, /q5_k_m/i, /q4_0/i, /q8_0/i];

/** `baseUrl` for a mirror, `token` for files that need one. */
export type HuggingFace = { baseUrl?: string | undefined; token?: string | undefined };

export function authorizationOf({ token }: HuggingFace): string | undefined {
  return token && `Bearer ${token}`;
}

export function fileAddress({ baseUrl = DEFAULT_BASE_URL }: HuggingFace, repository: string, path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}/${repository}/resolve/main/${encoded}`;
}

/** For a repository that is named without a file: its Q4_K_M, or the only GGUF it has. */
export async function chooseFile(
  huggingFace: HuggingFace,
  repository: string,
  { signal, answerMs = LIST_MS }: { signal: AbortSignal; answerMs?: number | undefined },
): Promise<string> {
  const base = (huggingFace.baseUrl ?? DEFAULT_BASE_URL).replace(/(?<!\/)\/+$/, '');
  const names = await listFiles(`${base}/api/models/${repository}`, huggingFace, answerMs, signal).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      const reason = cause instanceof SourceFailed ? reasonOf(cause) : explainHttpError(cause, { answerMs });
      throw new PullFailed(`The files of ${repository} cannot be listed on Hugging Face: ${reason}.`, { cause });
    },
  );
  const files = names.filter((name) => name.endsWith('.gguf') && !/-\d{5}-of-\d{5}\.gguf$/.test(name));
  const only = files.length === 1 ? files[0] : undefined;
  const chosen = only ?? PREFERRED.map((pattern) => files.find((name) => pattern.test(name))).find(Boolean);
  if (chosen) return chosen;
  throw new PullFailed(
    files.length === 0
      ? `${repository} has no GGUF in one file.`
      : `${repository} has ${files.length} GGUFs. Name one: ${files.map((name) => `${repository}:${name}`).join(', ')}.`,
  );
}

async function listFiles(url: string, huggingFace: HuggingFace, answerMs: number, signal: AbortSignal) {
  const authorization = authorizationOf(huggingFace);
  const answer = await get(url, { signal, answerMs, idleMs: answerMs, authorization });
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw new SourceFailed(explainStatus(answer.statusCode));
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop destroys the connection.
    if (bytes > LIST_BYTES_MAX) throw new SourceFailed('its list of files is too long');
    chunks.push(chunk);
  }
  return namesIn(Buffer.concat(chunks).toString());
}

function namesIn(text: string): string[] {
  try {
    const listed = JSON.parse(text) as { siblings?: ({ rfilename?: unknown } | null)[] } | null;
    return (listed?.siblings ?? []).flatMap((file) => (typeof file?.rfilename === 'string' ? [file.rfilename] : []));
  } catch {
    throw new SourceFailed('its list of files cannot be read');
  }
}

/** Whether it answers at all. Throws what the request threw. */
export async function ask({ baseUrl = DEFAULT_BASE_URL }: HuggingFace, answerMs: number, signal: AbortSignal) {
  const answer = await get(baseUrl, { signal, answerMs, idleMs: answerMs });
  await answer.body.dump();
  return answer.statusCode;
}
