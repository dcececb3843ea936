// Runs inside a root file system that has nothing but the release: starts it, calls it, stops it, and starts it again on
// the same data. Plain JavaScript for the Node that is there. Arguments: the command that starts the server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const [program, ...args] = process.argv.slice(2);
const wantsChat = process.env.PROBE_CHAT === 'yes';
const WAIT_MS = 120_000;
const report = (text) => process.stdout.write(`${text}\n`);

const first = await start();
report(`started ${first.version} on ${first.node} in ${first.seconds} s`);
const key = first.api_key;
const prompt = await call(first, '/v2/prompts', { name: 'kept', definition: { content: 'Hello {{name}}' } });
report(`POST /v2/prompts: version ${prompt.version}`);
if (wantsChat) await chat(first);
await readConsole(first);
await stop(first);

const second = await start();
if (second.first_start) throw new Error('The second start did not find the data of the first.');
const { prompts, data, items } = await call(second, '/v2/prompts');
if (!JSON.stringify(prompts ?? data ?? items).includes('"kept"'))
  throw new Error('The prompt is gone after a restart.');
report(`restarted in ${second.seconds} s, and the data is there`);
if (wantsChat) await chat(second);
await stop(second);

async function start() {
  const startedAt = performance.now();
  const child = spawn(program, [...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    said += text;
    if (said.includes('\n')) break;
  }
  if (!said.includes('\n')) throw new Error(`The server ended before it was ready: ${said}`);
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  const facts = JSON.parse(said.slice(0, said.indexOf('\n')));
  return { ...facts, url: facts.url.replace('0.0.0.0', '127.0.0.1'), child, seconds };
}

async function stop({ child }) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`The server ended with ${code}.`);
  report('stopped with code 0');
}

async function call({ url }, path, body) {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw Object.assign(new Error(`${path}: ${response.status} ${text}`), { status: response.status });
  return JSON.parse(text);
}

/** The weights may still be copied into the data dir when the server is ready. */
async function chat(server) {
  const body = { model: 'smollm2-135m-instruct', max_tokens: 8, messages: [{ role: 'user', content: 'Say hello.' }] };
  const giveUpAt = performance.now() + WAIT_MS;
  for (;;) {
    try {
      const { choices, usage } = await call(server, '/v1/chat/completions', body);
      report(`POST /v1/chat/completions: ${JSON.stringify(choices[0].message.content)}, ${usage.total_tokens} tokens`);
      return;
    } catch (error) {
      if (error.status !== 503 || performance.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** Files of the console are read after the start. */
async function fetchWhenReady(url) {
  const giveUpAt = performance.now() + WAIT_MS;
  for (;;) {
    const response = await fetch(url);
    if (response.status !== 503 || performance.now() > giveUpAt) return response;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function readConsole({ url }) {
  const page = await fetchWhenReady(`${url}/console`);
  if (!page.ok || !(await page.text()).includes('<html')) throw new Error(`/console: ${page.status}`);
  report('GET /console: 200');
}
