/** One sample per channel and moment, from -1 to 1. */
export type Sound = { channels: Float32Array[]; sampleRate: number };

/** Turns the bytes of a file into sound, piece by piece. */
export type Decoder = {
  decode(bytes: Uint8Array): Sound | Promise<Sound>;
  /** What is left when all bytes were given. */
  flush(): Sound | Promise<Sound>;
  close(): void;
};

export const NOTHING: Sound = { channels: [], sampleRate: 0 };
