import { expect, test } from 'vitest';
import { createLog } from '../../kit/base/log.ts';
import { createNativeLog } from './native-log.ts';

function listen() {
  const logged: { engine: string; device: string; detail: string }[] = [];
  const log = createLog('error', { write: (line: string) => void logged.push(JSON.parse(line)) });
  const native = createNativeLog('small', log, () => 'cuda');
  return { native, logged, details: () => logged.map(({ detail }) => detail) };
}

/** As CUDA ends a process: on stdout what goes to the log callback, on stderr what GGML_ABORT prints. */
const CUDA = [
  'CUDA error: the provided PTX was compiled with an unsupported toolchain.',
  '  current device: 0, in function ggml_cuda_compute_forward at /home/runner/llama.cpp/ggml-cuda.cu:2512',
  '  cudaGetLastError()',
];
const ABORT = '/home/runner/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:98: CUDA error';

test('errors of a GPU reach the log with model and device, also of a process that serves', () => {
  for (const isServing of [false, true]) {
    const { native, logged, details } = listen();
    for (const line of CUDA) native.onLine(line, 'stdout', isServing);
    native.onLine(ABORT, 'stderr', isServing);
    expect(details()).toEqual([...CUDA, 'ggml-cuda.cu:98: CUDA error']);
    expect(logged[0]).toMatchObject({ engine: 'small', device: 'cuda', msg: 'the engine reported an error' });
    expect(native.lastWords()).toBe(`${CUDA[0]}; ggml-cuda.cu:98: CUDA error`);
  }
});

test('of a process that serves only known forms of lines are logged, so that no prompt is', () => {
  const { native, details } = listen();
  const known = [
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 512.00 MiB on device 0: cudaMalloc failed: out of memory',
    'ggml_vulkan: Device memory allocation of size 1073741824 failed.',
    'graph_compute: ggml_backend_sched_graph_compute_async failed with error -1',
    'process_ubatch: failed to compute graph, compute status: -1',
    'llama_decode: failed to decode, ret = -3',
    'decode: failed to initialize batch',
  ];
  const unknown = [
    'llama_grammar_init_impl: the prompt',
    'parse: error parsing grammar: the prompt',
    'tokenize: the prompt',
    'the prompt',
    '  the prompt',
    'Error: the prompt',
  ];
  for (const line of [...known, ...unknown]) native.onLine(line, 'stdout', true);
  expect(details()).toEqual(known);
  const printed = [
    ...unknown,
    ...known,
    '#1  0x00007f in tokenize (text="the prompt") at llama.cpp:1',
    '  what():  the prompt',
  ];
  for (const line of printed) native.onLine(line, 'stderr', true);
  expect(details()).toEqual(known);
});

test('how a process ends is logged: an assertion, an exception of Vulkan, a heap that is full', () => {
  const { native, details } = listen();
  const ends = [
    'C:\\build\\ggml-cpu.c:1411: GGML_ASSERT(ne00 == ne10) failed',
    "terminate called after throwing an instance of 'vk::DeviceLostError'",
    '  what():  vk::Queue::submit: ErrorDeviceLost',
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  ];
  for (const line of ends) native.onLine(line, 'stderr', true);
  expect(details()).toEqual(['ggml-cpu.c:1411: GGML_ASSERT(ne00 == ne10) failed', ...ends.slice(1)]);
});

test('what a model says while it is loaded is logged, up to a hundred lines of a process', () => {
  const { native, details } = listen();
  for (let line = 0; line < 300; line++) native.onLine(`llama_model_load: error ${line}`, 'stdout', false);
  expect(details()).toHaveLength(100);
  expect(native.lastWords()).toBe('llama_model_load: error 299');
  native.reset();
  expect(native.lastWords()).toBeUndefined();
  native.onLine('llama_model_load: again', 'stdout', false);
  expect(details()).toHaveLength(101);
});
