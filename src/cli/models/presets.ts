/** Here and not imported, because the list of commands loads nothing; a test compares them. */
export const PRESETS = ['vllm', 'ollama', 'llama-cpp', 'openai', 'mistral', 'anthropic', 'openrouter'];
