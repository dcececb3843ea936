import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { WASI } from '@runno/wasi';
import { boundedOutput } from '../bounded-output.ts';
import { gatherFiles } from '../gather-files.ts';
import type { SandboxLimits, SandboxRequest, SandboxResult } from '../sandbox.ts';
import { Drive } from './drive.ts';
import type { PythonFiles } from './find-python.ts';
import { guardImports } from './guard-imports.ts';
import { limitMemory } from './limit-memory.ts';
import { createBudget } from './memory-file.ts';
import { readTar } from './read-tar.ts';

const WORK = '/work';
const RUNNER = '/sandbox/run.py';
const CODE = '/sandbox/code.py';
const START = `
def sleep(seconds, clock=__import__("time").monotonic, rest=os.sched_yield):
    end = clock() + seconds
    while clock() < end:
        rest()
__import__("time").sleep = sleep
os.chdir("${WORK}")
sys.exit(run(open("${CODE}", encoding="utf-8").read()))
`;

/** CPython as WebAssembly: compiled once, begun anew for each run. */
export type Interpreter = {
  /** `memoryBytes`: how far the memory of this run grew. */
  run(request: SandboxRequest): Promise<{ result: SandboxResult; memoryBytes: number }>;
};

export async function loadInterpreter(files: PythonFiles, limits: SandboxLimits): Promise<Interpreter> {
  const [program, archive, runner] = await Promise.all(
    [files.program, files.library, files.runner].map((file) => readFile(file)),
  );
  const module = await WebAssembly.compile(limitMemory(program ?? Buffer.alloc(0), limits.memoryBytes));
  const library = readTar(await promisify(gunzip)(archive ?? Buffer.alloc(0)));
  const start = Buffer.concat([runner ?? Buffer.alloc(0), Buffer.from(START)]);

  function openDrive({ code, files = [] }: SandboxRequest): Drive {
    const drive = new Drive({ bytes: limits.fileBytes });
    const own = [...library, { path: RUNNER, content: start }, { path: CODE, content: Buffer.from(code) }];
    // Copies, and with no room to grow: what one run does to them no other run sees.
    for (const { path, content } of own) drive.add(path, content, createBudget(content.byteLength));
    for (const path of ['work', 'tmp']) drive.pathCreateDir(3, path);
    for (const { name, content } of files) drive.add(`${WORK}/${name}`, content);
    return drive;
  }

  return {
    async run(request) {
      const drive = openDrive(request);
      const [stdout, stderr] = [boundedOutput(limits.outputBytes), boundedOutput(limits.outputBytes)];
      const wasi = new WASI({
        args: ['python', '-B', '-X', 'utf8', RUNNER],
        env: { HOME: WORK, TMPDIR: '/tmp', PYTHONHOME: '/usr/local' },
        // The library collects notes on each call for this function, and would keep them for ever without it.
        debug: () => undefined,
      });
      Object.assign(wasi, { drive });
      const instance = await WebAssembly.instantiate(module, guardImports(wasi, drive, { stdout, stderr }));
      const exitCode = startProgram(wasi, { instance, module });
      const result: SandboxResult = {
        state: exitCode === null ? 'crashed' : exitCode === 0 ? 'finished' : 'failed',
        exitCode,
        stdout: stdout.text(),
        stderr: stderr.text(),
        isOutputCut: stdout.isCut() || stderr.isCut(),
        ...gatherFiles(drive.filesBelow(WORK), request, limits),
      };
      return { result, memoryBytes: wasi.memory.buffer.byteLength };
    },
  };
}

const ABORTED = 134;

/** The exit code, or null when the interpreter did not come to its end. */
function startProgram(wasi: WASI, source: WebAssembly.WebAssemblyInstantiatedSource): number | null {
  try {
    const { exitCode } = wasi.start(source);
    return exitCode === ABORTED ? null : exitCode;
  } catch (error) {
    // A stack that ran out, or a call with numbers that make no sense: the program's own doing.
    if (error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}
