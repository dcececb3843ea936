import type { CommandGroup } from '../shell/command.ts';
import { PLATFORM, withOptions } from '../shell/shared-options.ts';

export const blobs: CommandGroup = {
  name: 'blobs',
  summary: 'where uploads and other stored contents are',
  commands: withOptions(PLATFORM, [
    {
      name: 'copy',
      summary: 'copy all stored contents between the data dir and an S3-compatible store; the server may be running',
      parameters: [
        { name: 'from', summary: 'data-dir, or s3://bucket/prefix with the variables AWS_…' },
        { name: 'to', summary: 'the same' },
      ],
      examples: ['blobs copy data-dir s3://models-and-files/tramontane', 'blobs copy s3://old/files s3://new/files'],
      run: async (context) => (await import('./run.ts')).copy(context),
    },
  ]),
};
