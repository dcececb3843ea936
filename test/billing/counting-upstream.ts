import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../support/cleanup.ts';

/** What a model server used for one attempt. */
export type Used = { prompt: number; completion: number };

/** How a streamed attempt reports: with every chunk, only with the first one, at the end, or never. */
export type Reports = 'always' | 'first' | 'end' | 'never';

/** What the server does at one call for a request. */
export type Step =
  | { do: 'refuse'; status: number; used?: Used }
  | { do: 'hang up' }
  | { do: 'break off'; chunks: number; reports: Reports }
  | { do: 'talk nonsense'; used?: Used }
  | { do: 'answer'; isGood: boolean; reports: Reports; ignoresN: boolean; chunks: number }
  /** The client leaves when it has everything that was sent. */
  | { do: 'lose the client'; chunks: number; reports: Reports };

export type Plan = {
  steps: Step[];
  calls: number;
  used: Used;
  /** Chunks with text that were streamed so far, over all calls. */
  sent: number;
  /** Makes the client leave once it has this many of them. */
  leaveAfter: (chunks: number) => void;
};

type Body = {
  stream?: boolean;
  n?: number;
  messages?: { content: string | null }[];
  tools?: { function: { name: string; description: string } }[];
  tool_choice?: unknown;
  response_format?: unknown;
  prompt?: string;
  suffix?: string;
  input?: string[];
};

const MARK = /mark-(\d+)/;
/** A token of four characters, so that the documented estimate of a text is the number of its tokens. */
const TOKEN = 'abcd';
const FACTOR = 3;

/**
 * A model server that follows a plan for each request, and counts by the rules of docs/limits.md what it was sent and what
 * it delivered. It reports three times the tokens of the estimate, so that the two cannot be confused.
 */
export async function startCountingUpstream(plans: { chat: Map<string, Plan>; moderation: Map<string, Plan> }) {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const isModeration = request.url?.endsWith('/moderations');
      const plan = (isModeration ? plans.moderation : plans.chat).get(MARK.exec(text)?.[1] ?? '');
      if (!plan) throw new Error(`no plan for ${text}`);
      const step = plan.steps[plan.calls++] ?? ANSWER;
      follow(step, plan, JSON.parse(text) as Body, response);
    });
  });
  // A connection that the server closes just when it is used again would have been sent a request nobody counts.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const ANSWER: Step = { do: 'answer', isGood: true, reports: 'end', ignoresN: false, chunks: 2 };

function follow(step: Step, plan: Plan, body: Body, response: ServerResponse): unknown {
  const count = (used: Used) => {
    plan.used.prompt += used.prompt;
    plan.used.completion += used.completion;
  };
  const estimated = estimatePrompt(body);
  switch (step.do) {
    case 'refuse':
      if (step.used) count(step.used);
      return send(response, step.status, { message: 'no', ...(step.used && { usage: toWire(step.used) }) });
    case 'hang up':
      count({ prompt: estimated, completion: 0 });
      return response.socket?.end();
    case 'talk nonsense':
      count(step.used ?? { prompt: estimated, completion: 0 });
      if (step.used) return send(response, 200, { object: 'odd', usage: toWire(step.used) });
      return response.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
    case 'break off':
    case 'lose the client':
      return breakOff(step, plan, body, response, count);
    case 'answer':
      return answer(step, plan, body, response, count);
  }
}

function breakOff(
  { do: what, chunks, reports }: Step & { chunks: number; reports: Reports },
  plan: Plan,
  body: Body,
  response: ServerResponse,
  count: (used: Used) => void,
): unknown {
  const prompt = estimatePrompt(body);
  const isLeft = what === 'lose the client';
  if (!body.stream || chunks === 0) {
    count({ prompt, completion: 0 });
    if (isLeft) return plan.leaveAfter(0);
    if (body.stream) return startEvents(response, () => response.socket?.end());
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    return response.write('{"choices":[{"index":0,"message":{"content":"ab', () => response.socket?.end());
  }
  const reported = { prompt: prompt * FACTOR, completion: reports === 'always' ? chunks * FACTOR : FACTOR };
  if (reports === 'always') count(reported);
  else if (reports === 'first') count({ prompt: reported.prompt, completion: FACTOR + chunks - 1 });
  else count({ prompt, completion: chunks });
  startEvents(response, () => undefined);
  for (let index = 0; index < chunks; index++) {
    const isReported = reports === 'always' || (reports === 'first' && index === 0);
    const usage = isReported && { usage: toWire({ prompt: prompt * FACTOR, completion: (index + 1) * FACTOR }) };
    writeEvent(response, { choices: [choiceOf(body, 0, TOKEN, null)], ...usage });
  }
  plan.sent += chunks;
  if (isLeft) return plan.leaveAfter(plan.sent);
  return response.write(': over\n\n', () => response.socket?.end());
}

function answer(
  { isGood, reports, ignoresN, chunks }: Step & { do: 'answer' },
  plan: Plan,
  body: Body,
  response: ServerResponse,
  count: (used: Used) => void,
): unknown {
  const prompt = estimatePrompt(body);
  const choices = ignoresN ? 1 : (body.n ?? 1);
  const isReported = reports !== 'never';
  if (body.input) {
    const used = { prompt: isReported ? prompt * FACTOR : prompt, completion: 0 };
    count(used);
    const scores = isGood ? { sexual: 0, violence_and_threats: 0 } : {};
    const data = body.input.map((_, index) => ({ index, embedding: isGood ? [1, 0] : [] }));
    const results = body.input.map(() => ({ categories: falseOf(scores), category_scores: scores }));
    return send(response, 200, { data, results, ...(isReported && { usage: { prompt_tokens: used.prompt } }) });
  }
  const call = isGood ? { city: 'Rome' } : { town: 1 };
  const calls = body.tools ? [{ id: 'c', type: 'function', function: { name: 'go', arguments: toText(call) } }] : [];
  const text = body.response_format ? (isGood ? '{"age":3}' : 'not JSON') : body.tools ? '' : TOKEN.repeat(chunks);
  const written = choices * (text.length + (calls[0] ? 2 + calls[0].function.arguments.length : 0));
  const used = isReported
    ? { prompt: prompt * FACTOR, completion: Math.ceil(written / 4) * FACTOR }
    : { prompt, completion: Math.ceil(written / 4) };
  count(used);
  const usage = isReported && { usage: toWire(used) };
  const indexes = Array.from({ length: choices }, (_, index) => index);
  if (!body.stream) {
    const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) };
    const finished = { message, text, finish_reason: 'stop' };
    return send(response, 200, { choices: indexes.map((index) => ({ index, ...finished })), ...usage });
  }
  startEvents(response, () => undefined);
  for (const index of indexes) {
    for (let at = 0; at < text.length; at += TOKEN.length, plan.sent++)
      writeEvent(response, { choices: [choiceOf(body, index, text.slice(at, at + TOKEN.length), null)] });
    const last = calls.map((made) => ({ index: 0, ...made }));
    writeEvent(response, { choices: [{ index, delta: { tool_calls: last }, text: '', finish_reason: 'stop' }] });
  }
  if (usage) writeEvent(response, { choices: [], ...usage });
  return response.end('data: [DONE]\n\n');
}

/** The documented estimate: a quarter of the characters of everything the model reads. */
function estimatePrompt({ messages = [], tools = [], prompt = '', suffix = '', input = [] }: Body): number {
  const read = [
    ...messages.map(({ content }) => content ?? ''),
    ...tools.flatMap(({ function: { name, description } }) => [name, description]),
    ...input,
    prompt,
    suffix,
  ];
  return Math.ceil(read.reduce((sum, { length }) => sum + length, 0) / 4);
}

function choiceOf(body: Body, index: number, text: string, finish_reason: string | null) {
  return body.messages ? { index, delta: { content: text }, finish_reason } : { index, text, finish_reason };
}

function toWire({ prompt, completion }: Used) {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

const toText = (value: unknown) => JSON.stringify(value);

const falseOf = (scores: object) => Object.fromEntries(Object.keys(scores).map((name) => [name, false]));

function startEvents(response: ServerResponse, onSent: () => void): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': hello\n\n', onSent);
}

function writeEvent(response: ServerResponse, event: unknown): void {
  response.write(`data: ${toText(event)}\n\n`);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(toText(body));
}
