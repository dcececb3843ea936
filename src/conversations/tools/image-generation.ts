import type { Scope } from '../../kit/http/index.ts';
import { type Outbound, OutboundError } from '../../kit/outbound/index.ts';
import { conversationErrors } from '../errors.ts';
import type { ServerTool } from '../run/toolbox.ts';

export type ImageConfig = { url: string; api_key?: string | undefined; model?: string | undefined; size: string };

/** Stores a file of a tool for the caller, and returns its id. */
export type SaveFile = (caller: Scope, file: { name: string; mimetype: string; bytes: Uint8Array }) => Promise<string>;

const NOT_SET_UP =
  'Image generation is not set up on this server. Its operator can name an address under tools.image_generation.';

/** Calls an OpenAI-compatible images API, and stores the image as a file. */
export function imageTool(config: ImageConfig | undefined, outbound: Outbound, save: SaveFile): ServerTool {
  return {
    name: 'image_generation',
    description: 'Generate an image from a description.',
    parameters: {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'What the image should show' } },
      required: ['prompt'],
    },
    needsConfirmation: false,
    async run({ arguments: { prompt }, caller, signal }) {
      if (!config) throw conversationErrors.tool_unavailable(NOT_SET_UP);
      const bytes = await generate(config, outbound, String(prompt), signal);
      const { type, mimetype } = kindOf(bytes);
      const file_id = await save(caller, { name: `image_generated_0.${type}`, mimetype, bytes });
      const chunk = { tool: 'image_generation', file_id, file_name: 'image_generated_0', file_type: type };
      return {
        text: 'The image was generated and is shown to the user.',
        info: { prompt: String(prompt) },
        chunks: [{ type: 'tool_file' as const, ...chunk }],
      };
    },
  };
}

async function generate(
  { url, api_key, model, size }: ImageConfig,
  outbound: Outbound,
  prompt: string,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const response = await outbound.fetch(`${url.replace(/(?<!\/)\/+$/, '')}/images/generations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(api_key ? { authorization: `Bearer ${api_key}` } : {}) },
      body: JSON.stringify({ prompt, n: 1, size, response_format: 'b64_json', ...(model ? { model } : {}) }),
      signal,
    });
    const text = await response.text();
    if (response.status !== 200)
      throw conversationErrors.tool_server_failed(`The image server answered ${response.status}.`);
    const answer = JSON.parse(text) as { data?: { b64_json?: unknown }[] } | null;
    const encoded = answer?.data?.[0]?.b64_json;
    if (typeof encoded !== 'string' || encoded === '')
      throw conversationErrors.tool_server_failed('The image server answered without an image.');
    return Buffer.from(encoded, 'base64');
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError)
      throw conversationErrors.tool_server_failed('The image server could not be used.', { cause: error });
    throw error;
  }
}

function kindOf(bytes: Buffer): { type: string; mimetype: string } {
  if (bytes.subarray(0, 3).toString('hex') === 'ffd8ff') return { type: 'jpg', mimetype: 'image/jpeg' };
  if (bytes.subarray(8, 12).toString('latin1') === 'WEBP') return { type: 'webp', mimetype: 'image/webp' };
  return { type: 'png', mimetype: 'image/png' };
}
