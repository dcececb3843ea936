/** A file of a skill: text, or any bytes in base64. */
export type AssetContent =
  | { textContent: string; isExecutable?: boolean | undefined }
  | { rawContent: string; isExecutable?: boolean | undefined };

/** What the rules look at; the schema of the wire has the same shape and asks them. */
export type Definition = {
  description?: string | undefined;
  body?: string | undefined;
  assets?: Record<string, AssetContent> | undefined;
};
