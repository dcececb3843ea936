import { MODEL, type Scene } from './scene.ts';

/** Attempts of a program to reach the network; each prints at its end that it succeeded. */
const WAYS = [
  "import urllib.request; urllib.request.urlopen('http://127.0.0.1:PORT', timeout=5)",
  "import socket; socket.create_connection(('127.0.0.1', PORT), 5)",
  "import socket; socket.create_connection(('::1', PORT), 5)",
  "import socket; socket.socket().connect(('0.0.0.0', PORT))",
];
/** Concatenated at run time: the response contains the program itself as well. */
const SAYS_SO = "print('REA' + 'CHED')";

/** Programs written by a model have no network at all. */
export async function judgeInterpreter({ says, post, victim }: Scene): Promise<string[]> {
  const escapes: string[] = [];
  for (const way of ['pass', ...WAYS]) {
    says('code_interpreter', { code: `${way.replaceAll('PORT', String(victim.port))}\n${SAYS_SO}` });
    const body = { model: MODEL, inputs: 'x', store: false, tools: [{ type: 'code_interpreter' }] };
    const { text } = await post('/v1/conversations', body);
    // The one that tries nothing must succeed, or the others would prove nothing.
    if (text.includes('REACHED') !== (way === 'pass')) escapes.push(`${way}: ${text}`);
  }
  return escapes;
}
