import { z } from 'zod';

const TTL_SECONDS_MAX = 3600;

export const CreateRealtimeSessionRequest = z
  .strictObject({
    model: z.string().min(1).max(512),
    purpose: z.literal('realtime'),
    ttl_seconds: z.int().min(1).max(TTL_SECONDS_MAX).nullable().optional(),
  })
  .meta({ id: 'CreateRealtimeSessionRequest' });
export type CreateRealtimeSessionRequest = z.infer<typeof CreateRealtimeSessionRequest>;

const ClientSecret = z.strictObject({ value: z.string(), expires_at: z.iso.datetime() }).meta({ id: 'ClientSecret' });

export const CreateRealtimeSessionResponse = z
  .strictObject({
    object: z.literal('client.session').default('client.session'),
    purpose: z.literal('realtime'),
    expires_at: z.iso.datetime(),
    client_secret: ClientSecret,
  })
  .meta({ id: 'CreateRealtimeSessionResponse' });
export type CreateRealtimeSessionResponse = z.infer<typeof CreateRealtimeSessionResponse>;
