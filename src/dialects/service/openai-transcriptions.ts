import type { RawReply, SseEvent, Upload } from '../../kit/http/index.ts';
import type { Call } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import { renderTranscription, type StagedAudio, type TranscriptionService } from '../../transcription/index.ts';
import { dialectErrors } from '../errors.ts';
import { toTranscriptEvents, toTranscription, toTranscriptionRequest } from '../openai/transcription.ts';
import type { OpenAiTranscription, OpenAiTranscriptionRequest } from '../schema/openai-transcriptions.ts';

type Audio = Upload<StagedAudio> | undefined;

export type OpenAiTranscriptionService = ReturnType<typeof createOpenAiTranscriptionService>;

/** Models that clients of this API name without asking; here they are the first model that transcribes. */
const isTheirModel = (name: string) => name === 'whisper-1' || (name.startsWith('gpt-') && name.includes('transcribe'));

export type OpenAiTranscriptionPorts = {
  transcription: TranscriptionService;
  models: Pick<ModelService, 'find' | 'served'>;
};

/** OpenAI's transcriptions over ours. */
export function createOpenAiTranscriptionService({ transcription, models }: OpenAiTranscriptionPorts) {
  function toRequest(call: Call, body: OpenAiTranscriptionRequest) {
    const request = toTranscriptionRequest(body, call);
    const { workspace_id } = call.scope;
    if (!isTheirModel(body.model) || models.find(body.model, workspace_id)) return request;
    const first = models.served(workspace_id).find(({ engine }) => engine.transcription);
    return first ? { ...request, model: first.id } : request;
  }

  return {
    bytesMax: transcription.bytesMax,
    stage: transcription.stage,
    async transcribe(
      call: Call,
      body: OpenAiTranscriptionRequest,
      audio: Audio,
    ): Promise<OpenAiTranscription | RawReply> {
      const whole = await transcription.transcribe(call, toRequest(call, body), audio);
      const { response_format: format } = body;
      if (format === 'text' || format === 'srt' || format === 'vtt')
        return renderTranscription({ response_format: format }, whole) as RawReply;
      return toTranscription(body, whole);
    },
    async stream(call: Call, body: OpenAiTranscriptionRequest, audio: Audio): Promise<AsyncIterable<SseEvent>> {
      return toTranscriptEvents(await transcription.stream(call, toRequest(call, body), audio), body);
    },
    /** Models here write speech down in its own language. */
    async translate(): Promise<never> {
      throw dialectErrors.translation_unsupported();
    },
  };
}
