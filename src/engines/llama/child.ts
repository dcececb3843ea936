import { rmSync } from 'node:fs';
import type { Delta } from '../engine.ts';
import { prepareChat, prepareFim } from './prepare-request.ts';
import { createChatTemplate } from './prompt/chat-template.ts';
import type { StartOptions, ToChild, ToParent } from './protocol.ts';
import { Refusal, StartFailure } from './refusal.ts';
import { createScheduler } from './scheduler.ts';
import { type Outlet, type Serving, serveRequest } from './serve-request.ts';
import { readVocabulary } from './vocabulary.ts';

/**
 * The process that holds one model. Native code may end it at any time; nothing but requests in flight is lost then. It
 * ends itself when the parent is gone.
 */
process.on('disconnect', () => process.exit(0));
// A Ctrl-C or a service manager reaches every process at once; the parent decides when requests are drained.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('message', (message: ToChild) => {
  if (message.type === 'start') void start(message.options);
  if (message.type === 'ping') send({ type: 'pong', work: workInHand() });
});

/** Moves whenever native code has finished a piece of its work. */
let loaded = 0;
let workInHand: () => number | undefined = () => loaded;

/** What llama.cpp said against the model; the last word is the clearest. */
const complaints: string[] = [];

function send(message: ToParent): void {
  if (process.connected) process.send?.(message);
}

async function start(options: StartOptions): Promise<void> {
  try {
    await serve(options);
  } catch (error) {
    const reason = error instanceof StartFailure ? error.message : 'the model cannot be opened.';
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const detail = complaints.at(-1) ?? (cause instanceof Error ? cause.message : message);
    process.send?.({ type: 'failed', reason, detail } satisfies ToParent, undefined, undefined, () => process.exit(1));
  }
}

async function serve(options: StartOptions): Promise<void> {
  // Loaded late, so that a missing package is something we can say.
  const { openNative } = await import('./native.ts').catch((cause: unknown) => {
    throw new StartFailure('node-llama-cpp is not installed.', { cause });
  });
  // What llama.cpp says about a request may repeat it, so only its complaints about the model are passed on.
  let isLoading = true;
  const native = await openNative(options, {
    log(message) {
      if (!isLoading) return;
      complaints.push(message);
      send({ type: 'log', message });
    },
    progress: () => loaded++,
  });
  isLoading = false;
  const words = readVocabulary(native.model);
  const text = native.model.fileInfo.metadata.tokenizer.chat_template;
  const template = createChatTemplate({ text, ...words });
  const parts = { words, contextTokens: native.contextTokens };
  const servings = new Map<number, Serving | 'preparing'>();
  let outbox: [number, Delta[]][] = [];
  let ends: ToParent[] = [];

  function flush(): void {
    if (outbox.length > 0) send({ type: 'deltas', items: outbox });
    for (const message of ends) send(message);
    outbox = [];
    ends = [];
  }

  const scheduler = createScheduler(native, options, flush);
  workInHand = scheduler.stepInHand;
  process.on('exit', () => rmSync(options.scratchDirectory, { recursive: true, force: true }));

  function outletOf(id: number): Outlet {
    return {
      send: (deltas) => {
        if (deltas.length > 0) outbox.push([id, deltas]);
      },
      end() {
        servings.delete(id);
        ends.push({ type: 'end', id });
      },
      fail(error) {
        servings.delete(id);
        ends.push(errorMessage(id, error));
      },
    };
  }

  async function begin(message: Extract<ToChild, { type: 'chat' | 'fim' }>): Promise<void> {
    const { id } = message;
    servings.set(id, 'preparing');
    try {
      const prepared =
        message.type === 'chat' ? prepareChat(message.request, template, parts) : prepareFim(message.request, parts);
      const serving = await serveRequest(prepared, { native, words, scheduler }, outletOf(id));
      if (servings.has(id)) servings.set(id, serving);
      else {
        // The client left, or the request wanted no token and has ended without a step.
        serving.cancel();
        flush();
      }
    } catch (error) {
      servings.delete(id);
      send(errorMessage(id, error));
    }
  }

  process.on('message', (message: ToChild) => {
    if (message.type === 'chat' || message.type === 'fim') void begin(message);
    if (message.type === 'cancel') {
      const serving = servings.get(message.id);
      if (serving && serving !== 'preparing') serving.cancel();
      servings.delete(message.id);
    }
  });
  send({
    type: 'ready',
    facts: {
      contextTokens: native.contextTokens,
      trainedContextTokens: native.model.trainContextSize,
      canFillIn: words.infill !== undefined,
    },
  });
}

/** Only our own words go to a client; what a library says may repeat the prompt. */
function errorMessage(id: number, error: unknown): ToParent {
  if (error instanceof Refusal) return { type: 'error', id, status: 400, message: error.message };
  return { type: 'error', id, status: 500, message: 'The model could not answer this request.' };
}
