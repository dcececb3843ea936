import type { FastifyReply } from 'fastify';

/** Every response has them. They are set when it is sent: most are sent by `sendShort`, which needs none of Fastify's. */
export function setIdHeaders(reply: FastifyReply): void {
  const { id } = reply.request;
  reply.header('x-request-id', id).header('mistral-correlation-id', id);
}
