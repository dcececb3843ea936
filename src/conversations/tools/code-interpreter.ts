import type { Sandbox, SandboxFile, SandboxResult } from '../../engines/sandbox/index.ts';
import { tenantOf } from '../../tenants/index.ts';
import { conversationErrors } from '../errors.ts';
import type { ServerTool } from '../run/toolbox.ts';
import type { SaveFile } from './image-generation.ts';

const NOT_SET_UP = 'The code interpreter is turned off on this server. Its operator can set code_interpreter.engine.';
const MIMETYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  svg: 'image/svg+xml',
  csv: 'text/csv',
  txt: 'text/plain',
  json: 'application/json',
  pdf: 'application/pdf',
};

/** Runs the model's Python. The files that it writes are stored, shown, and available to the run's next call. */
export function codeTool(sandbox: Sandbox | undefined, save: SaveFile): ServerTool {
  const carried = new Map<string, SandboxFile>();
  return {
    name: 'code_interpreter',
    description:
      'Run Python 3 and get what it prints and the value of its last line. There is no network. Files written to the working directory are shown to the user.',
    parameters: {
      type: 'object',
      properties: { code: { type: 'string', description: 'A whole Python program' } },
      required: ['code'],
    },
    needsConfirmation: false,
    async run({ arguments: given, caller, signal }) {
      if (!sandbox) throw conversationErrors.tool_unavailable(NOT_SET_UP);
      const code = String(given.code);
      const result = await sandbox.run({ code, files: [...carried.values()] }, signal, tenantOf(caller));
      const chunks = [];
      for (const file of result.files) {
        carried.set(file.name, file);
        const type = file.name.split('.').at(-1) ?? '';
        const mimetype = MIMETYPES[type.toLowerCase()] ?? 'application/octet-stream';
        const file_id = await save(caller, { name: file.name, mimetype, bytes: file.content });
        const shown = { tool: 'code_interpreter', file_id, file_name: file.name, file_type: type };
        chunks.push({ type: 'tool_file' as const, ...shown });
      }
      const code_output = describe(result);
      return { text: code_output, info: { code, code_output }, chunks };
    },
  };
}

function describe({ state, stdout, stderr, isOutputCut, files, filesLeftOut }: SandboxResult): string {
  const parts = [stdout.trimEnd(), stderr.trimEnd()];
  if (isOutputCut) parts.push('[the rest of the output was cut off]');
  if (state === 'timeout') parts.push('[the program was ended at its time limit]');
  if (state === 'crashed') parts.push('[the interpreter broke down, most likely out of memory]');
  if (files.length > 0) parts.push(`[files: ${files.map(({ name }) => name).join(', ')}]`);
  if (filesLeftOut > 0) parts.push(`[${filesLeftOut} more files were not kept]`);
  return parts.filter((part) => part !== '').join('\n') || '[no output]';
}
