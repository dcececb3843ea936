/** A definition as far as the rules look at it; the schemas build on the rules and not the other way round. */
export type AssetShape = { textContent: string } | { rawContent: string };

export type DefinitionShape = {
  description?: string | undefined;
  body?: string | undefined;
  assets?: Record<string, AssetShape> | undefined;
};
