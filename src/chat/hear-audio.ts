import type { Call } from '../metering/index.ts';
import type { Model } from '../models/index.ts';
import { chatErrors } from './errors.ts';
import { replaceChunks } from './replace-chunks.ts';
import type { ContentChunk } from './schema/content.ts';
import type { Message } from './schema/messages.ts';
import type { ChatCompletionRequest } from './schema/requests.ts';

/** Each is heard by a process that tenants share. */
const AUDIOS_MAX = 16;
const ADDRESS = /^[a-z]+:\/\//i;

export type AudioListener = {
  /** Whether the workspace has a model that transcribes. */
  canTranscribe(workspaceId: string): boolean;
  /** What is said. `audio` is base64, a data address or an address; `isPart`: the request was admitted already. */
  transcribe(call: Call, audio: string, options: { isPart: boolean }): Promise<string>;
  /** The sound at an address, in base64. */
  load(call: Call, address: string): Promise<string>;
};

/** Cheap for every request: only lists of chunks are looked through. */
export function hasAudio(messages: readonly Message[]): boolean {
  return messages.some(
    ({ role, content }) =>
      role === 'user' && Array.isArray(content) && content.some(({ type }) => type === 'input_audio'),
  );
}

/** For a model that hears, sound at an address is fetched; for all others it is transcribed, where that is possible. */
export async function hearAudio(
  listener: AudioListener | undefined,
  call: Call,
  body: ChatCompletionRequest,
  model: Model,
): Promise<ChatCompletionRequest> {
  if (!listener) return body;
  const isTranscribed = !model.capabilities.audio && listener.canTranscribe(call.scope.workspace_id);
  let heard = 0;

  const { transcribe, load } = listener;

  async function replace(chunk: ContentChunk): Promise<ContentChunk[]> {
    if (chunk.type !== 'input_audio') return [chunk];
    if (heard === AUDIOS_MAX) throw chatErrors.list_too_long(`At most ${AUDIOS_MAX} recordings can be sent.`);
    const isPart = heard++ > 0;
    const { input_audio: audio } = chunk;
    if (isTranscribed) return [{ type: 'text', text: describe(await transcribe(call, audio, { isPart })) }];
    return [ADDRESS.test(audio) ? { ...chunk, input_audio: await load(call, audio) } : chunk];
  }

  return { ...body, messages: await replaceChunks(body.messages, replace) };
}

/** Marked as content with a beginning and an end, so that a model can tell it from what the user writes. */
function describe(transcript: string): string {
  return `[Audio, transcribed]\n\n${transcript || '(nobody speaks)'}\n\n[End of the audio]`;
}
