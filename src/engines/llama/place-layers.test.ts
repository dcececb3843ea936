import { describe, expect, test } from 'vitest';
import { placeLayers } from './place-layers.ts';

/** A GPU that estimates 32 layers, loads up to `loadable` and opens a context beside up to `usable`. */
function gpuWith({ loadable, usable }: { loadable: number; usable: number }) {
  const tried: ('fit' | number)[] = [];
  const disposed: number[] = [];
  const said: string[] = [];
  return {
    tried,
    disposed,
    said,
    parts: {
      log: (message: string) => said.push(message),
      async load(wanted: 'fit' | number) {
        tried.push(wanted);
        const gpuLayers = wanted === 'fit' ? 32 : wanted;
        if (gpuLayers > loadable) throw new Error('no memory for the weights');
        return { gpuLayers, dispose: async () => void disposed.push(gpuLayers) };
      },
      async open({ gpuLayers }: { gpuLayers: number }) {
        if (gpuLayers > usable) throw new Error('no memory for the context');
        return 'context';
      },
    },
  };
}

describe('the layers of a model', () => {
  test('are placed by the estimate where that holds', async () => {
    const { parts, tried, said } = gpuWith({ loadable: 32, usable: 32 });
    expect(await placeLayers({ hasGpu: true, ...parts })).toMatchObject({ model: { gpuLayers: 32 }, note: null });
    expect({ tried, said }).toEqual({ tried: ['fit'], said: [] });
  });

  test('are halved when the context does not fit beside them, which is logged and noted', async () => {
    const { parts, tried, disposed, said } = gpuWith({ loadable: 32, usable: 20 });
    const { model, context, note } = await placeLayers({ hasGpu: true, ...parts });
    expect({ layers: model.gpuLayers, context, tried, disposed }).toEqual({
      layers: 16,
      context: 'context',
      tried: ['fit', 16],
      disposed: [32],
    });
    expect(note).toBe('The GPU had too little memory for 32 layers; 16 of them are on it.');
    expect(said).toEqual(['loading on the GPU failed and is tried again with 16 layers: no memory for the context']);
  });

  test('end on the CPU when even half of them are too many, or the weights themselves', async () => {
    for (const gpu of [gpuWith({ loadable: 32, usable: 0 }), gpuWith({ loadable: 0, usable: 0 })]) {
      const { model, note } = await placeLayers({ hasGpu: true, ...gpu.parts });
      expect(model.gpuLayers).toBe(0);
      expect(note).toContain('none of them are on it');
      expect(gpu.tried.at(-1)).toBe(0);
      expect(gpu.tried.length).toBeLessThanOrEqual(3);
    }
  });

  test('that the CPU cannot open either fail with its reason', async () => {
    const { parts, tried } = gpuWith({ loadable: -1, usable: 0 });
    await expect(placeLayers({ hasGpu: false, ...parts })).rejects.toThrow('no memory for the weights');
    await expect(placeLayers({ hasGpu: true, ...parts })).rejects.toThrow('no memory for the weights');
    expect(tried).toEqual([0, 'fit', 0]);
  });
});
