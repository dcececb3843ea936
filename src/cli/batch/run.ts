import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Uploads the requests, waits for the job and saves its results beside the requests. */
export async function runBatch(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const api = openApi(context);
  const input = args.parameter('file');
  const model = args.text('model');
  const uploaded = await api.upload(input, { purpose: 'batch' });
  const { data: created } = await api.send<Job>('POST', '/v1/batch/jobs', {
    endpoint: args.text('endpoint') ?? '/v1/chat/completions',
    input_files: [uploaded],
    ...(model === undefined ? {} : { model }),
  });
  output.note(`[job ${created.id}: ${created.total_requests} requests]`);
  let job = created;
  while (RUNNING.has(job.status)) {
    output.progress(describeJob(job));
    await sleep(POLL_MS);
    job = await api.get<Job>(`/v1/batch/jobs/${job.id}`);
  }
  const stem = args.text('output') ?? input.replace(/\.jsonl$/, '');
  const written = [
    ...(await download(api, job.output_file, `${stem}.answers.jsonl`)),
    ...(await download(api, job.error_file, `${stem}.errors.jsonl`)),
  ];
  for (const { message, count } of job.errors) output.note(`${count} × ${message}`);
  const files = written.length > 0 ? ` Written: ${written.join(', ')}` : '';
  output.result({ ...job, written }, `${describeJob(job)}.${files}`);
  return job.status === 'SUCCESS' && job.failed_requests === 0 ? 0 : 1;
}

function describeJob({ status, completed_requests, total_requests, failed_requests }: Job): string {
  const failed = failed_requests > 0 ? `, ${failed_requests} failed` : '';
  return `${status.toLowerCase()}: ${completed_requests} of ${total_requests} completed${failed}`;
}

async function download(api: ApiClient, id: string | null, path: string): Promise<string[]> {
  if (id === null) return [];
  const { body } = await api.fetch(`/v1/files/${id}/content`);
  await pipeline(Readable.fromWeb((body ?? new Blob([]).stream()) as ReadableStream), createWriteStream(path));
  return [path];
}
