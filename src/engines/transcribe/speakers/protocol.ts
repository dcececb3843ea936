export type SpeakerSettings = { segmentationFile: string; embeddingFile: string; threads: number };

/** Who speaks from here on, for about a minute; or, with `isOneVoice`, the voice of a whole recording. */
export type SpeakerRequest = { pcmFile: string; from: number; total: number; isOneVoice: boolean };

/** One voice of a piece of ten seconds, and when it is heard, in seconds of the audio. */
export type HeardVoice = { piece: number; embedding: Float32Array; seconds: number; spans: [number, number][] };

export type SpeakerReply = { voices: HeardVoice[]; next: number };
