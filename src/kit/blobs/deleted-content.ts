/** The queue of contents whose last reference may be gone. */
export const CONTENT_QUEUE = 'deleted-content';
/** Longer than a put takes from its last byte to its row: content that was written meanwhile is kept. */
export const CONTENT_GRACE_MS = 30_000;

export type DeletedContent = { room: string; sha256s: string[] };

/** The task that removes contents soon after their rows were deleted; enqueue it in the same transaction. */
export function deletedContent(room: string, sha256s: string[], nowMs: number) {
  const payload: DeletedContent = { room, sha256s };
  return { queue: CONTENT_QUEUE, payload, runAtMs: nowMs + CONTENT_GRACE_MS + 1000, attemptsMax: 10 };
}
