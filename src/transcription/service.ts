import type { GuardrailService } from '../guardrails/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { SseEvent, Upload } from '../kit/http/index.ts';
import { type Call, type Meter, startRun } from '../metering/index.ts';
import { deprecationHeaders, type TranscribeRequest, type TranscriptPart } from '../models/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { chooseTranscriber, type TranscribingModels } from './choose-transcriber.ts';
import { addPart, granularityOf, startTranscript, toResponse } from './collect-transcript.ts';
import { transcriptionErrors } from './errors.ts';
import { startGuard } from './guard-transcript.ts';
import { keepReferences } from './keep-references.ts';
import { type AudioPorts, checkSource, openAudio } from './open-audio.ts';
import { relayTranscript, type Transcribing } from './relay-transcript.ts';
import type { AudioTranscriptionRequest, TranscriptionResponse } from './schema.ts';
import type { StagedAudio } from './stage-audio.ts';

/** What the budget holds back until the length of the audio is known. */
const ESTIMATED_SECONDS = 60;

export type TranscriptionService = {
  /** Of one file. */
  bytesMax: number;
  stage(content: AsyncIterable<Uint8Array>, bytesMax: number): Promise<StagedAudio>;
  transcribe(
    call: Call,
    request: AudioTranscriptionRequest,
    upload: Upload<StagedAudio> | undefined,
  ): Promise<TranscriptionResponse>;
  /** Rejects when it fails before anything was transcribed. */
  stream(
    call: Call,
    request: AudioTranscriptionRequest,
    upload: Upload<StagedAudio> | undefined,
  ): Promise<AsyncIterable<SseEvent>>;
};

export type TranscriptionPorts = AudioPorts & {
  models: TranscribingModels;
  meter: Meter;
  now: Clock;
  guardrails: Pick<GuardrailService, 'check'>;
};

export function createTranscriptionService(ports: TranscriptionPorts): TranscriptionService {
  const { models, meter, now, stage, bytesMax, guardrails } = ports;
  void stage.sweep(now()).catch(() => undefined);

  async function open(
    call: Call,
    request: AudioTranscriptionRequest,
    upload: Upload<StagedAudio> | undefined,
  ): Promise<Transcribing> {
    const { scope, signal, setHeader } = call;
    checkSource(request, upload);
    const { model, transcription } = chooseTranscriber(models, scope.workspace_id, request.model);
    for (const [name, value] of Object.entries(deprecationHeaders(model))) setHeader(name, value);
    setHeader('tramontane-model', model.id);
    const references = await keepReferences(stage, request);
    const run = await startRun({ now, meter }, call, {
      kind: 'transcription',
      model: model.id,
      estimatedTokens: ESTIMATED_SECONDS,
    });
    try {
      const guard = request.guardrails?.length ? await startGuard(guardrails, call, request.guardrails) : undefined;
      const audio = await openAudio(ports, scope, request, upload, signal);
      const granularity = granularityOf(request);
      const asked: TranscribeRequest = {
        ...toOptions(request),
        file: audio.file,
        filename: audio.filename,
        hasSegments: granularity === 'segment',
        hasWords: granularity === 'word',
        streams: request.stream,
        tenant: tenantOf(scope),
        ...(references && { speakerReferences: references.files }),
      };
      const heardParts = transcription.transcribe(asked, signal, run)[Symbol.asyncIterator]();
      const rest = guard ? guard.watch(heardParts) : heardParts;
      const decoded = await rest.next().finally(audio.discard);
      // Waits for the first window, so that a failure in it is an ordinary HTTP error.
      const heard = decoded.done ? decoded : await rest.next();
      const first: TranscriptPart[] = [...(decoded.value ?? []), ...(heard.value ?? [])];
      const length = first.find((part) => part.kind === 'audio');
      if (length) setHeader('tramontane-audio-seconds', String(Math.ceil(length.seconds)));
      return {
        model: model.id,
        granularity,
        first,
        rest,
        run,
        signal,
        guard,
      };
    } catch (error) {
      throw run.fail(error);
    } finally {
      await references?.discard();
    }
  }

  return {
    bytesMax,
    stage: stage.write,
    async transcribe(call, request, upload) {
      const { model, granularity, first, rest, run, guard } = await open(call, request, upload);
      const transcript = startTranscript(granularity);
      try {
        for (const part of first) addPart(transcript, part);
        for (let next = await rest.next(); !next.done; next = await rest.next())
          for (const part of next.value) addPart(transcript, part);
        run.settle(200);
        const response = { ...toResponse(model, transcript), ...(guard && { guardrails: guard.results }) };
        return request.response_format === 'verbose_json'
          ? { ...response, task: 'transcribe', duration: transcript.seconds }
          : response;
      } catch (error) {
        throw run.fail(error);
      }
    },
    async stream(call, request, upload) {
      const { response_format: format } = request;
      if (format === 'text' || format === 'srt' || format === 'vtt')
        throw transcriptionErrors.stream_format_invalid(
          ['body', 'stream'],
          `Value error, ${format} cannot be streamed`,
          true,
          { error: {} },
        );
      return relayTranscript(await open(call, request, upload));
    },
  };
}

function toOptions({ language, temperature, diarize, context_bias, prompt }: AudioTranscriptionRequest) {
  const contextBias = prompt ? [...context_bias, prompt] : context_bias;
  return {
    diarize,
    ...(language != null && { language: language.toLowerCase() }),
    ...(temperature != null && { temperature }),
    ...(contextBias.length > 0 && { contextBias }),
  };
}
