declare module '../db/tables.ts' {
  interface Tables {
    event_streams: { stream: string; head: number };
    events: { stream: string; seq: number; type: string; data: unknown; created_at: string };
  }
}

export {};
