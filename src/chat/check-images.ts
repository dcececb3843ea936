import { badRequest } from '../kit/http/index.ts';
import type { ChatRequest } from '../models/index.ts';

/** A model server fetches images for whoever asks, and it stands in the operator's network. */
export function checkImages({ messages }: ChatRequest, mayFetch: (url: URL) => boolean): void {
  for (const message of messages) {
    if (message.role !== 'user' || typeof message.content === 'string') continue;
    for (const part of message.content) {
      if (part.type !== 'image_url' || /^data:/i.test(part.url)) continue;
      const url = URL.parse(part.url);
      if (!url || url.username || url.password || !mayFetch(url))
        throw badRequest(
          'An image_url may not lead to a private address. Send the image as a data: URL, or ask the operator to add its host to outbound.allow.',
        );
    }
  }
}
