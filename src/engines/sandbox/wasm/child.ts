import { oneAtATime, serveParent } from '../../process/serve-parent.ts';
import type { SandboxRequest } from '../sandbox.ts';
import { loadInterpreter } from './interpreter.ts';
import type { WasmResult, WasmSettings } from './protocol.ts';

// Runs programs, so that the server survives whatever they do to time and memory. This process holds no secrets and no
// open files, and Node's permission model keeps it from the disk should a program ever get out.
serveParent<WasmSettings, SandboxRequest, WasmResult>(async ({ files, limits }) => {
  const interpreter = await loadInterpreter(files, limits);
  return oneAtATime(async (request, give) => give(await interpreter.run(request)));
});
