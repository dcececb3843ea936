import type { Preset } from './schema.ts';

/** Servers that many people have, with what their address usually is. */
export const presets: readonly Preset[] = [
  local('vllm', 'vLLM', 'http://127.0.0.1:8000/v1', 'Started with vllm serve; a key only where --api-key was given.'),
  local('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', 'Runs beside this server. It needs no key.'),
  local('llama-cpp', 'llama.cpp', 'http://127.0.0.1:8080/v1', 'Started with llama-server; a key only with --api-key.'),
  hosted('openai', 'OpenAI', 'https://api.openai.com/v1', 'A key from platform.openai.com.'),
  hosted('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'A key from console.mistral.ai.'),
  hosted('anthropic', 'Anthropic', 'https://api.anthropic.com/v1', 'A key from console.anthropic.com.'),
  hosted('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'A key from openrouter.ai/keys.'),
  {
    ...{ id: 'compatible', name: 'Other server', url: '', needs_key: false, private_network: false },
    hint: 'Any server that speaks the OpenAI API. The address usually ends in /v1.',
  },
];

function local(id: string, name: string, url: string, hint: string): Preset {
  return { id, name, url, needs_key: false, private_network: true, hint };
}

function hosted(id: string, name: string, url: string, hint: string): Preset {
  return { id, name, url, needs_key: true, private_network: false, hint };
}
