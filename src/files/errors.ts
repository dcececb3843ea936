import { defineErrors, missing } from '../kit/http/index.ts';

export const fileErrors = defineErrors({
  file_not_found: missing('file'),
  download_link_invalid: {
    status: 403,
    fix: 'Ask for a new link: `GET /v1/files/{file_id}/url`.',
    message: 'This download link is not valid or has expired. Ask for a new one.',
  },
  file_content_missing: {
    status: 500,
    fix: 'Report the request id to the operator, who restores the file from a backup or shares the data dir between servers.',
    message: 'The content of this file is missing. Report the request id to the operator.',
  },
});
