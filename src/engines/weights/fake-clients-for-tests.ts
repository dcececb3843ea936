import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramEnvironment } from './run-program.ts';

export type FakeClients = {
  environment: ProgramEnvironment;
  /** What the client answers when it is asked for this package: a file, words and a failure, or nothing for ever. */
  answer(wanted: string, with_: { file?: string; content?: Buffer; failure?: string; hangs?: boolean }): void;
  /** One line per download that was asked for, such as `pip model==1.0`. */
  calls(): string[];
  /** The names of the variables that the last client had. */
  variables(): string[];
};

/** Programs named pip and npm, the only ones on their PATH, that answer what a test told them. */
export function fakeClients(dir: string, programs: ('pip' | 'pip3' | 'npm')[] = ['pip', 'npm']): FakeClients {
  const bin = join(dir, 'bin');
  const answers = join(dir, 'answers');
  const log = join(dir, 'calls.log');
  mkdirSync(bin, { recursive: true });
  mkdirSync(answers, { recursive: true });
  writeFileSync(log, '');
  for (const program of programs) {
    const path = join(bin, program);
    writeFileSync(path, `#!${process.execPath}\n${script(program, answers, log)}`);
    chmodSync(path, 0o755);
  }
  return {
    environment: { PATH: bin, PIP_INDEX_URL: 'https://mirror.example', TRAMONTANE_ADMIN_KEY: 'canary' },
    answer(wanted, { content, ...rest }) {
      writeFileSync(join(answers, `${fileNameOf(wanted)}.json`), JSON.stringify({ ...rest }));
      if (content) writeFileSync(join(answers, fileNameOf(wanted)), content);
    },
    calls: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    variables: () => JSON.parse(readFileSync(`${log}.variables`, 'utf8')),
  };
}

const fileNameOf = (wanted: string) => encodeURIComponent(wanted);

function script(program: string, answers: string, log: string): string {
  return `
const fs = require('node:fs');
const wanted = process.argv.at(-1);
fs.appendFileSync(${JSON.stringify(log)}, ${JSON.stringify(`${program} `)} + wanted + '\\n');
fs.writeFileSync(${JSON.stringify(`${log}.variables`)}, JSON.stringify(Object.keys(process.env)));
const place = ${JSON.stringify(`${answers}/`)} + encodeURIComponent(wanted);
const answer = fs.existsSync(place + '.json') ? JSON.parse(fs.readFileSync(place + '.json', 'utf8')) : { failure: 'ERROR: No matching distribution found for ' + wanted };
if (answer.hangs) {
  // As the real one does: it writes into the temporary directory that it was given.
  fs.writeFileSync(require('node:path').join(process.env.TMPDIR, 'growing'), Buffer.alloc(600));
  setInterval(() => undefined, 1000);
} else if (answer.failure) {
  process.stderr.write(answer.failure + '\\n', () => process.exit(1));
} else if (answer.file) {
  fs.copyFileSync(place, answer.file);
}
`;
}
