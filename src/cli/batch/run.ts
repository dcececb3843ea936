import { constants, createWriteStream, openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';

const POLL_MS = 500;
const RUNNING = new Set(['QUEUED', 'RUNNING', 'CANCELLATION_REQUESTED']);

type Job = {
  id: string;
  status: string;
  total_requests: number;
  completed_requests: number;
  succeeded_requests: number;
  failed_requests: number;
  output_file: string | null;
  error_file: string | null;
  errors: { message: string; count: number }[];
};

/** Uploads the requests, waits for the answers with progress, and writes them beside the requests. */
export async function runBatch(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const api = openApi(context);
  const input = args.parameter('file');
  const model = args.text('model');
  const uploaded = await upload(api, input);
  const { data: made } = await api.send<Job>('POST', '/v1/batch/jobs', {
    endpoint: args.text('endpoint') ?? '/v1/chat/completions',
    input_files: [uploaded],
    ...(model === undefined ? {} : { model }),
  });
  output.note(`[job ${made.id}: ${made.total_requests} requests]`);
  const job = await follow(api, made, (now) => output.progress(describe(now)));
  const stem = args.text('output') ?? input.replace(/\.jsonl$/, '');
  const written = [
    ...(await download(api, job.output_file, `${stem}.answers.jsonl`)),
    ...(await download(api, job.error_file, `${stem}.errors.jsonl`)),
  ];
  for (const { message, count } of job.errors) output.note(`${count} × ${message}`);
  const files = written.length > 0 ? ` Written: ${written.join(', ')}` : '';
  output.result({ ...job, written }, `${describe(job)}.${files}`);
  return job.status === 'SUCCESS' && job.failed_requests === 0 ? 0 : 1;
}

async function upload(api: ApiClient, path: string): Promise<string> {
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(
      `${path} cannot be read (${error.code}). Name a JSONL file: one {"custom_id", "body"} a line.`,
    );
  });
  const blob = await openAsBlob(path);
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', blob, basename(path));
  const response = await api.fetch('/v1/files', { method: 'POST', body: form });
  return ((await response.json()) as { id: string }).id;
}

async function follow(api: ApiClient, made: Job, onProgress: (job: Job) => void): Promise<Job> {
  let job = made;
  while (RUNNING.has(job.status)) {
    onProgress(job);
    await sleep(POLL_MS);
    job = await api.get<Job>(`/v1/batch/jobs/${job.id}`);
  }
  return job;
}

function describe({ status, completed_requests, total_requests, failed_requests }: Job): string {
  const failed = failed_requests > 0 ? `, ${failed_requests} failed` : '';
  return `${status.toLowerCase()}: ${completed_requests} of ${total_requests} answered${failed}`;
}

async function download(api: ApiClient, id: string | null, path: string): Promise<string[]> {
  if (id === null) return [];
  const { body } = await api.fetch(`/v1/files/${id}/content`);
  await pipeline(Readable.fromWeb((body ?? new Blob([]).stream()) as ReadableStream), createWriteStream(path));
  return [path];
}
