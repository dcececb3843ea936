import { MODEL, type Scene } from './scene.ts';

/** What a program might try; each says at its end that it got there. */
const WAYS = [
  "import urllib.request; urllib.request.urlopen('http://127.0.0.1:PORT', timeout=5)",
  "import socket; socket.create_connection(('127.0.0.1', PORT), 5)",
  "import socket; socket.create_connection(('::1', PORT), 5)",
  "import socket; socket.socket().connect(('0.0.0.0', PORT))",
];
/** Put together when it runs: the program itself is shown as well. */
const SAYS_SO = "print('REA' + 'CHED')";

/** Programs that a model writes have no network at all. */
export async function judgeInterpreter({ says, post, victim }: Scene): Promise<string[]> {
  const escapes: string[] = [];
  for (const way of ['pass', ...WAYS]) {
    says('code_interpreter', { code: `${way.replaceAll('PORT', String(victim.port))}\n${SAYS_SO}` });
    const body = { model: MODEL, inputs: 'x', store: false, tools: [{ type: 'code_interpreter' }] };
    const { text } = await post('/v1/conversations', body);
    // The one that tries nothing must get to its end, or nothing would be proved by the others.
    if (text.includes('REACHED') !== (way === 'pass')) escapes.push(`${way}: ${text}`);
  }
  return escapes;
}
