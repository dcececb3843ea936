import type { CommandGroup } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

export const batch: CommandGroup = {
  name: 'batch',
  summary: 'run batch jobs; the server must be running',
  commands: [
    {
      name: 'run',
      summary: 'run the requests of a JSONL file, one {"custom_id", "body"} per line, and save the responses beside it',
      parameters: [{ name: 'file', summary: 'the requests' }],
      options: {
        model: { summary: 'the model for requests that do not name one', value: '<id>' },
        endpoint: { summary: 'the API endpoint (default: /v1/chat/completions)', value: '<path>' },
        output: { summary: 'the path prefix of the files to write', value: '<path>' },
        ...SERVER,
      },
      examples: ['batch run questions.jsonl --model small', 'batch run texts.jsonl --endpoint /v1/embeddings --json'],
      run: async (context) => (await import('./run.ts')).runBatch(context),
    },
  ],
};
