import type { CommandGroup } from '../shell/command.ts';

export const batch: CommandGroup = {
  name: 'batch',
  summary: 'answer many requests when there is time; the server must be running',
  commands: [
    {
      name: 'run',
      summary: 'answer the requests of a JSONL file, one {"custom_id", "body"} a line, and write the answers beside it',
      parameters: [{ name: 'file', summary: 'the requests' }],
      options: {
        model: { summary: 'the model of requests that name none', value: '<id>' },
        endpoint: { summary: 'where the requests go; /v1/chat/completions if left out', value: '<path>' },
        output: { summary: 'the beginning of the names of the files that are written', value: '<path>' },
        url: { summary: 'where the server is, instead of TRAMONTANE_URL', value: '<url>' },
      },
      examples: ['batch run questions.jsonl --model small', 'batch run texts.jsonl --endpoint /v1/embeddings --json'],
      run: async (context) => (await import('./run.ts')).runBatch(context),
    },
  ],
};
