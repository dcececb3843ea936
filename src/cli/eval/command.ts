import type { CommandGroup } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

export const evaluate: CommandGroup = {
  name: 'eval',
  summary: 'run evaluations, also in CI; the server must be running',
  commands: [
    {
      name: 'run',
      summary: 'answer and judge the records of a dataset; the exit code is 1 when a threshold is missed',
      parameters: [
        { name: 'file', summary: 'a YAML file with the fields of a run; options override it', optional: true },
      ],
      options: {
        dataset: { summary: 'its id or slug', value: '<id>' },
        model: { summary: 'the model that answers', value: '<id>' },
        prompt: { summary: 'the prompt that answers: name, name@alias or name#version', value: '<name>' },
        agent: { summary: 'the agent that answers', value: '<id>' },
        judge: { summary: 'judges by id or name, joined by commas', value: '<names>' },
        check: { summary: 'exact_match, contains or valid_json, joined by commas', value: '<names>' },
        threshold: { summary: 'the least average: 0.8, or judge=0.8, joined by commas', value: '<numbers>' },
        evaluation: { summary: 'the slug of the evaluation (default: ci; created if missing)', value: '<slug>' },
        baseline: { summary: 'a run to compare with; worse beyond chance is exit code 1', value: '<run>' },
        name: { summary: 'the name of the run', value: '<name>' },
        estimate: { summary: 'say what the run would cost and exit' },
        ...SERVER,
      },
      examples: [
        'eval run --dataset capitals --model small --judge truth --threshold 0.8',
        'eval run evaluation.yaml --threshold truth=0.9 --json',
        'eval run --dataset capitals --prompt support#4 --check exact_match --baseline <run id>',
      ],
      run: async (context) => (await import('./run.ts')).runEvaluation(context),
    },
  ],
};
