/** 'fit': as many layers as the free memory of the GPU has room for, by the estimate of node-llama-cpp. */
type GpuLayers = 'fit' | number;

const REDUCTIONS_MAX = 2;

/**
 * Opens a model with as many layers on the GPU as fit. An estimate may be wrong, and others may take the memory meanwhile:
 * what fails is tried again with half of the layers, and in the end with none.
 */
export async function placeLayers<M extends { gpuLayers: number; dispose(): Promise<void> }, C>(parts: {
  hasGpu: boolean;
  load(gpuLayers: GpuLayers): Promise<M>;
  open(model: M): Promise<C>;
  log(message: string): void;
}): Promise<{ model: M; context: C; note: string | null }> {
  const { hasGpu, load, open, log } = parts;
  let wanted: GpuLayers = hasGpu ? 'fit' : 0;
  let note: string | null = null;
  for (let tries = 0; ; tries++) {
    let model: M | undefined;
    try {
      model = await load(wanted);
      return { model, context: await open(model), note };
    } catch (error) {
      const placed: number = model?.gpuLayers ?? 0;
      await model?.dispose();
      if (wanted === 0 || (model && placed === 0)) throw error;
      wanted = tries < REDUCTIONS_MAX - 1 ? Math.floor(placed / 2) : 0;
      note = `The GPU had too little memory for ${placed || 'its'} layers; ${wanted || 'none'} of them ${wanted === 1 ? 'is' : 'are'} on it.`;
      log(`loading on the GPU failed and is tried again with ${wanted} layers: ${reasonOf(error)}`);
    }
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
