import { z } from 'zod';
import { SpeechOutputFormat } from './speech.ts';

/** One message; the text of a session has its own limit. */
const MESSAGE_CHARACTERS_MAX = 50_000;
const text = z.string().max(MESSAGE_CHARACTERS_MAX);

export const LiveSpeechQuery = z.strictObject({ model: z.string().max(512).optional() });

const StreamingMode = z.enum(['responsive', 'long_form']);

const SessionChanges = z.strictObject({
  voice: z.string().max(256).nullable().optional(),
  /** Base64. */
  ref_audio: z.string().nullable().optional(),
  streaming_mode: StreamingMode.nullable().optional(),
  response_format: SpeechOutputFormat.nullable().optional(),
  expressiveness: z.number().min(1).max(10).nullable().optional(),
});
export type SessionChanges = z.infer<typeof SessionChanges>;

/** What a client of a live speech session sends. */
export const LiveSpeechMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.update'), session: SessionChanges }),
  z.strictObject({ type: z.literal('input_text.append'), text }),
  z.strictObject({ type: z.literal('input_text.flush'), text: text.nullable().optional() }),
  z.strictObject({ type: z.literal('input_text.end') }),
]);
export type LiveSpeechMessage = z.infer<typeof LiveSpeechMessage>;

export type LiveSpeechSession = {
  request_id: string;
  model: string;
  voice: string | null;
  is_ref_audio: boolean;
  streaming_mode: z.infer<typeof StreamingMode>;
  response_format: z.infer<typeof SpeechOutputFormat>;
  expressiveness: number;
};
