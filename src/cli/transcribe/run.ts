import { openAsBlob } from 'node:fs';
import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { writeSrt, writeVtt } from '../../kit/base/subtitles.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, openApi, readEvents } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';

type Segment = { text: string; start: number; end: number; speaker_id?: string | null };
type Done = { text: string; language: string | null; segments?: Segment[] };
type StreamEvent = ({ type: 'transcription.done' } & Done) | ({ type: 'transcription.segment' } & Segment) | Failure;
type Failure = { object?: 'error'; type: string; message?: string };
type Format = 'text' | 'srt' | 'vtt' | 'json';
type Wishes = { format: Format; fields: [string, string][]; onProgress: (text: string) => void };

/** Transcribes one file after the other, each as a stream, which shows how far it is. */
export async function transcribe(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const files = args.parameters('file');
  const format = (args.text('format') ?? 'text') as Format;
  const out = args.text('out');
  const language = args.text('language');
  const fields: [string, string][] = [
    ['model', args.text('model') ?? (await findModel(api))],
    ['stream', 'true'],
    ['timestamp_granularities', args.flag('words') ? 'word' : 'segment'],
    ...(language === undefined ? [] : [['language', language] as [string, string]]),
    ...(args.flag('speakers') ? [['diarize', 'true'] as [string, string]] : []),
  ];
  for (const file of files) {
    const done = await request(api, file, { format, fields, onProgress: (text) => output.progress(text) });
    const text = render(format, done);
    if (out === undefined) {
      output.result({ file, ...done }, files.length > 1 && format === 'text' ? `${file}: ${text}` : text);
      continue;
    }
    const target = files.length > 1 ? join(out, `${basename(file, extname(file))}.${extensionOf(format)}`) : out;
    await write(target, `${text}\n`, files.length > 1 ? out : undefined);
    output.result({ file, ...done, written: resolve(target) }, `${target}: ${basename(file)}`);
  }
}

async function findModel(api: ApiClient): Promise<string> {
  const { data } = await api.get<{ data: { id: string; capabilities: { audio_transcription?: boolean } }[] }>(
    '/v1/models',
  );
  const found = data.find(({ capabilities }) => capabilities.audio_transcription);
  if (!found) throw new CommandFailure('This server has no model that transcribes. See npx tramontane models.');
  return found.id;
}

async function request(api: ApiClient, file: string, { fields, onProgress }: Wishes): Promise<Done> {
  await access(file, constants.R_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${file} cannot be read (${code}).`);
  });
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  form.append('file', await openAsBlob(file), basename(file));
  onProgress(`${basename(file)} …`);
  const response = await api.fetch('/v1/audio/transcriptions', { method: 'POST', body: form });
  const seconds = Number(response.headers.get('tramontane-audio-seconds') ?? 0);
  for await (const data of readEvents(response)) {
    const event = JSON.parse(data) as StreamEvent;
    if (event.type === 'transcription.done') return pick(event as Done);
    if (event.type === 'transcription.segment') onProgress(describe(file, (event as Segment).end, seconds));
    else if ('object' in event && event.object === 'error')
      throw new CommandFailure(event.message ?? 'The transcription failed.');
  }
  throw new CommandFailure('The response ended early.');
}

function pick({ text, language, segments = [] }: Done): Done {
  return { text, language, segments };
}

function describe(file: string, at: number, seconds: number): string {
  const share = seconds > 0 ? ` ${Math.min(100, Math.floor((at / seconds) * 100))} %` : '';
  return `${basename(file)} …${share}`;
}

function render(format: Format, { text, segments = [], language }: Done): string {
  const cues = segments.map((segment) => ({
    ...segment,
    text: segment.speaker_id ? `${segment.speaker_id}: ${segment.text}` : segment.text,
  }));
  if (format === 'srt') return writeSrt(cues).trimEnd();
  if (format === 'vtt') return writeVtt(cues).trimEnd();
  if (format === 'json') return JSON.stringify({ text, language, segments }, null, 2);
  return cues.some(({ speaker_id }) => speaker_id) ? cues.map((cue) => cue.text).join('\n') : text;
}

function extensionOf(format: Format): string {
  return format === 'text' ? 'txt' : format;
}

async function write(file: string, content: string, dir: string | undefined): Promise<void> {
  if (dir !== undefined) await mkdir(dir, { recursive: true });
  await writeFile(file, content).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${file} cannot be written (${code}).`);
  });
}
