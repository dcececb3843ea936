import { mkdirSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { ChatRequest, Delta } from '../engine.ts';
import { redirectPackages } from '../gpu/redirect-packages.ts';
import { Refusal, StartFailure } from '../process/protocol.ts';
import { type Host, type Served, serveParent } from '../process/serve-parent.ts';
import { createGrammars } from './grammar/create-grammars.ts';
import { createGuides } from './guide/create-guide.ts';
import { type Prepared, prepareChat, prepareFim } from './prepare-request.ts';
import { createChatTemplate } from './prompt/chat-template.ts';
import type { LlamaRequest, LlamaSettings, ModelFacts, ProbeSettings } from './protocol.ts';
import { createScheduler } from './scheduler.ts';
import { serveRequest } from './serve-request.ts';
import { readVocabulary } from './vocabulary.ts';

// The process that holds one model. Native code may end it at any time; only requests in flight are lost then.
serveParent<LlamaSettings | ProbeSettings, LlamaRequest, Delta>(async (settings, host) => {
  const complaints: string[] = [];
  // On a machine with few cores the server answers others first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  try {
    const log = (message: string) => {
      complaints.push(message);
      host.log(message);
    };
    const { gpuDir } = settings;
    if (gpuDir !== undefined) redirectPackages(gpuDir);
    return await ('isProbe' in settings ? probe(settings, { ...host, log }) : load(settings, { ...host, log }));
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const reason = error instanceof StartFailure ? message : 'the model cannot be opened.';
    // The last complaint of llama.cpp is the clearest.
    const detail = complaints.at(-1) ?? (cause instanceof Error ? cause.message : message);
    throw new StartFailure(reason, { cause: new Error(detail) });
  }
});

// Imported late, so that a missing package can be reported, and after the packages are redirected.
function importNative() {
  return import('./native.ts').catch((cause: unknown) => {
    throw new StartFailure('node-llama-cpp is not installed.', { cause });
  });
}

async function probe(settings: ProbeSettings, host: Host): Promise<Served<LlamaRequest, Delta>> {
  const { openRuntime, describeDevice } = await importNative();
  const facts = await describeDevice(await openRuntime(settings, host));
  return { facts, serve: () => undefined };
}

async function load(settings: LlamaSettings, host: Host): Promise<Served<LlamaRequest, Delta>> {
  host.progress();
  const { openNative } = await importNative();
  // Messages of llama.cpp about a request may repeat it, so only those about the model are passed on.
  let isLoading = true;
  const native = await openNative(settings, {
    log: (message) => isLoading && host.log(message),
    progress: host.progress,
    loading: host.loading,
  });
  isLoading = false;
  const words = readVocabulary(native);
  const template = createChatTemplate({ text: native.model.fileInfo.metadata.tokenizer.chat_template, ...words });
  const grammarsOf = createGrammars();
  const createGuide = settings.isPlain
    ? undefined
    : createGuides({ ...words, words: words.tree(), tokenize: words.tokenizeShort });
  const parts = { words, contextTokens: native.contextTokens };
  const { scratchDirectory } = settings;
  mkdirSync(scratchDirectory, { recursive: true, mode: 0o700 });
  process.on('exit', () => rmSync(scratchDirectory, { recursive: true, force: true }));
  const scheduler = createScheduler(native, { ...settings, stuck: host.stuck }, host.holdParts().flush);
  const facts: ModelFacts = {
    contextTokens: native.contextTokens,
    trainedContextTokens: native.model.trainContextSize,
    canFillIn: words.infill !== undefined,
    device: native.device,
  };

  async function prepare(request: ChatRequest, signal: AbortSignal): Promise<Prepared | undefined> {
    const grammars = await grammarsOf(request, template.callStyle, signal);
    return signal.aborted ? undefined : prepareChat(request, grammars, template, parts);
  }

  return {
    facts,
    workInHand: scheduler.stepInHand,
    async serve({ type, request }, give, signal) {
      try {
        const prepared = await (type === 'chat' ? prepare(request, signal) : prepareFim(request, parts));
        if (!prepared || signal.aborted) return;
        const { tenant, workspace } = request;
        await serveRequest(prepared, { native, words, scheduler, tenant, workspace, createGuide }, give, signal);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        // A library's message may repeat the prompt, and must not reach the log.
        throw new Error(error instanceof Error ? error.name : typeof error);
      }
    },
  };
}
