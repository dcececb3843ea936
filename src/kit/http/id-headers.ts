import type { FastifyReply } from 'fastify';

/** Every response has them. */
export function setIdHeaders(reply: FastifyReply): void {
  const { id } = reply.request;
  reply.header('x-request-id', id).header('mistral-correlation-id', id);
}
