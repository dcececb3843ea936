export type DecodeRequest = {
  file: string;
  /** Gets samples of 16 bits, mono, at 16 kHz. */
  pcmFile: string;
  secondsMax: number;
};

/** How much is decoded so far. */
export type DecodePart = { samples: number };
