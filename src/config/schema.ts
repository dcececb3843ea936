import { z } from 'zod';

const Capabilities = z.strictObject({
  completion_chat: z.boolean().default(false),
  function_calling: z.boolean().default(false),
  reasoning: z.boolean().default(false),
  completion_fim: z.boolean().default(false),
  fine_tuning: z.boolean().default(false),
  vision: z.boolean().default(false),
  ocr: z.boolean().default(false),
  classification: z.boolean().default(false),
  moderation: z.boolean().default(false),
  audio: z.boolean().default(false),
  audio_transcription: z.boolean().default(false),
  audio_transcription_realtime: z.boolean().default(false),
  audio_speech: z.boolean().default(false),
  unified_resources: z.boolean().default(false),
});

const ModelConfig = z.strictObject({
  id: z.string().min(1),
  aliases: z.array(z.string().min(1)).default([]),
  name: z.string().optional(),
  description: z.string().optional(),
  engine: z.enum(['upstream']),
  url: z.url({ protocol: /^https?$/ }),
  api_key: z.string().min(1).optional(),
  upstream_model: z.string().min(1).optional(),
  max_context_length: z.int().min(1).default(32_768),
  capabilities: Capabilities.prefault({ completion_chat: true }),
  timeout_seconds: z.number().positive().default(300),
  price: z
    .strictObject({ prompt: z.number().min(0).default(0), completion: z.number().min(0).default(0) })
    .prefault({}),
});

/** The YAML file. Every key has a default, so no file is needed at all. */
export const FileConfig = z.strictObject({
  models: z.array(ModelConfig).default([]),
  server: z
    .strictObject({
      /** How long a stopping server waits for running requests and streams. */
      drain_seconds: z.number().min(0).max(3600).default(30),
      body_limit_mib: z.number().positive().max(1024).default(10),
      heartbeat_seconds: z.number().positive().max(300).default(15),
    })
    .prefault({}),
  outbound: z
    .strictObject({
      /** Hosts, addresses or CIDR blocks that client-chosen requests may reach although they are not public. */
      allow: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
});
export type FileConfig = z.infer<typeof FileConfig>;
