import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { ChatRequest, Delta } from '../engine.ts';
import { redirectPackages } from '../gpu/redirect-packages.ts';
import { Refusal, StartFailure } from '../process/protocol.ts';
import { type Host, type Served, serveParent } from '../process/serve-parent.ts';
import { createGrammars } from './grammar/create-grammars.ts';
import { createGuides } from './guide/create-guide.ts';
import type { Native } from './native.ts';
import { type Prepared, prepareChat, prepareFim } from './prepare-request.ts';
import { createChatTemplate } from './prompt/chat-template.ts';
import type {
  LlamaRequest,
  LlamaSettings,
  LoadingFacts,
  ModelFacts,
  ProbeSettings,
  RuntimeSettings,
} from './protocol.ts';
import { createScheduler } from './scheduler.ts';
import { serveRequest } from './serve-request.ts';
import { writeTrialModel } from './trial-model.ts';
import { leaveBrokenGpu, tryDevice } from './try-device.ts';
import { readVocabulary } from './vocabulary.ts';

// The process that holds one model. Native code may end it at any time; only requests in flight are lost then.
serveParent<LlamaSettings | ProbeSettings, LlamaRequest, Delta>(async (settings, host) => {
  // On a machine with few cores the server answers others first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const { gpuDir } = settings;
  if (gpuDir !== undefined) redirectPackages(gpuDir);
  try {
    return await ('isProbe' in settings ? probe(settings, host) : load(settings, host));
  } catch (cause) {
    throw cause instanceof StartFailure ? cause : new StartFailure('the model cannot be opened.', { cause });
  }
});

// Imported late, so that a missing package can be reported, and after the packages are redirected.
function importNative() {
  return import('./native.ts').catch((cause: unknown) => {
    throw new StartFailure('node-llama-cpp is not installed.', { cause });
  });
}

async function probe(settings: ProbeSettings, host: Host): Promise<Served<LlamaRequest, Delta>> {
  const { openNative, openRuntime } = await importNative();
  const runtime = await openRuntime(settings, host);
  if (runtime.gpu) {
    const { scratchDirectory } = settings;
    const file = join(scratchDirectory, 'trial.gguf');
    mkdirSync(scratchDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(file, writeTrialModel(), { mode: 0o600 });
    const native = await openNative(runtime, { ...settings, file, sequences: 1, contextTokens: 1024 }, host);
    await tryGpu(native, settings, host);
  }
  return { facts: runtime.found, serve: () => undefined };
}

/** A model is ready when its GPU has computed. The CPU is not tried: it is the last device, and slow with a long prompt. */
async function tryGpu(native: Native, { trialMs }: RuntimeSettings, host: Host): Promise<void> {
  if (!native.gpu) return;
  host.loading({ device: native.gpu, isTried: true } satisfies LoadingFacts);
  await tryDevice(native, host, trialMs);
}

async function load(settings: LlamaSettings, host: Host): Promise<Served<LlamaRequest, Delta>> {
  host.progress();
  const { openNative, openRuntime } = await importNative();
  // What node-llama-cpp says about a request may repeat it, so only what is about the model is passed on.
  let isLoading = true;
  const log = (message: string) => isLoading && host.log(message);
  const runtime = await openRuntime(settings, { ...host, log });
  const opened = await openNative(runtime, settings, { ...host, log });
  await tryGpu(opened, settings, host);
  const native = leaveBrokenGpu(opened, host);
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
