import type { IncomingMessage } from 'node:http';
import { uuidv7 } from '../base/ids.ts';

const GIVEN = /^[\x21-\x7e]{1,128}$/;

/** A new id begins with the time: it becomes the id of a trace, and its index is then written at one place. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && GIVEN.test(given) ? given : uuidv7();
}
