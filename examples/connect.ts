import { Mistral } from '@mistralai/mistralai';

export const url = process.env.TRAMONTANE_URL ?? 'http://127.0.0.1:4747';
export const apiKey = process.env.TRAMONTANE_API_KEY ?? '';
/** The public name stands for the first chat model that the server has. */
export const model = process.env.MODEL ?? 'mistral-small-latest';

/** The official client, pointed at your server. Ends the program with a sentence if the server cannot be used. */
export async function connect(): Promise<Mistral> {
  if (!apiKey)
    fail(
      'Set TRAMONTANE_API_KEY to the key that the first "npm start" printed, or make one: npx tramontane keys create',
    );
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } }).catch(() =>
    fail(`No server answers at ${url}. Start one with "npm start", or set TRAMONTANE_URL.`),
  );
  if (response.status === 401) fail(`The server at ${url} does not accept the key in TRAMONTANE_API_KEY.`);
  if (!response.ok) fail(`The server at ${url} answers ${response.status}: ${await response.text()}`);
  return new Mistral({ serverURL: url, apiKey });
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
