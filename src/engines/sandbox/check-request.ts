import { engineErrors } from '../errors.ts';
import { isSafeName } from './safe-name.ts';
import type { SandboxLimits, SandboxRequest } from './sandbox.ts';

const { code_interpreter_input_invalid: invalid } = engineErrors;
const CODE_BYTES_MAX = 1024 * 1024;
const FILES_IN_MAX = 256;

/** Refuses what the program must not be given: names that leave its directory, and more than it may hold. */
export function checkRequest({ code, files = [] }: SandboxRequest, { fileBytes }: SandboxLimits): void {
  if (Buffer.byteLength(code) > CODE_BYTES_MAX) throw invalid(`The code is longer than ${CODE_BYTES_MAX} bytes.`);
  if (files.length > FILES_IN_MAX) throw invalid(`More than ${FILES_IN_MAX} files were given to the code interpreter.`);
  const names = new Set(files.map(({ name }) => name));
  if (names.size < files.length) throw invalid('Two files for the code interpreter have the same name.');
  const isDirectory = (name: string) => files.some((other) => other.name.startsWith(`${name}/`));
  for (const name of names) {
    if (!isSafeName(name) || isDirectory(name))
      throw invalid(`The code interpreter cannot have a file named ${JSON.stringify(name)}.`);
  }
  const bytes = files.reduce((sum, { content }) => sum + content.byteLength, 0);
  if (bytes > fileBytes) throw invalid(`The files for the code interpreter are larger than ${fileBytes} bytes.`);
}
