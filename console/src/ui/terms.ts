/**
 * What the console calls the settings of a request. docs/glossary.md has the same words with their meaning; a test compares
 * them, and refuses other words for them in the console.
 */
export const terms = {
  temperature: 'Temperature',
  top_p: 'Top P',
  max_tokens: 'Max tokens',
  random_seed: 'Seed',
  stop: 'Stop sequences',
  response_format: 'Response format',
  tools: 'Tools',
  tool_choice: 'Tool choice',
  system: 'System prompt',
  instructions: 'Instructions',
  max_context_length: 'Context',
  created_at: 'Created',
  created_by: 'Created by',
  updated_at: 'Updated',
  expires_at: 'Expires',
  aliases: 'Aliases',
} as const;

/** How a model may use its tools, in the words of the API. */
export const toolChoices = [
  { value: 'auto', label: 'Auto' },
  { value: 'any', label: 'Any' },
  { value: 'none', label: 'None' },
] as const;

export const responseFormats = [
  { value: 'text', label: 'Text' },
  { value: 'json_object', label: 'JSON object' },
  { value: 'json_schema', label: 'JSON schema' },
] as const;
