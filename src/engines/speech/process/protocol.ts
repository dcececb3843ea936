/** What the server and a process that speaks say to each other. A question is one piece of text, not a whole request. */
export type ToProcess<Question> =
  | { kind: 'ask'; id: number; question: Question }
  /** Nobody waits for this one any more. */
  | { kind: 'cancel'; id: number }
  /** Asks for a sign of life. */
  | { kind: 'ping' };

export type FromProcess<Answer> =
  | { kind: 'ready' }
  /** `work` is the question in hand, if any. */
  | { kind: 'pong'; work: number | undefined }
  /** It cannot be used as it stands; the process ends itself after this. */
  | { kind: 'unusable'; reason: string }
  | { kind: 'answer'; id: number; answer: Answer }
  | { kind: 'done'; id: number }
  | { kind: 'broken'; id: number; reason: string };
