import { defineErrors, missing } from '../kit/http/index.ts';

export const batchErrors = defineErrors({
  batch_job_not_found: missing('batch job'),
  batch_endpoint_unsupported: {
    status: 400,
    when: 'This server does not have the endpoint of the job.',
    fix: 'Choose another endpoint.',
    message: (endpoint: string) => `Batches of ${endpoint} are not served here.`,
  },
  batch_input_invalid: {
    status: 400,
    when: 'A job has no requests, too many, or both `requests` and `input_files`.',
    fix: 'Send either, with at least one request and within the limit of the message.',
  },
  batch_file_purpose_invalid: {
    status: 400,
    when: 'An input file was uploaded for another purpose.',
    fix: 'Upload it with the purpose `batch`.',
    message: (id: string) => `The file ${id} was not uploaded with the purpose 'batch'.`,
  },
  batch_too_large_for_inline: {
    status: 400,
    when: 'The outputs of a large job are requested with `inline`.',
    fix: 'Download the output file.',
    message: (requestsMax: number) =>
      `Only jobs of at most ${requestsMax} requests are shown inline: read the output file.`,
  },
  batch_job_running: {
    status: 409,
    fix: 'Cancel it first.',
    message: 'The job is still running. Cancel it first, then delete it.',
  },
});
