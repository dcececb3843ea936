import { oneAtATime, serveParent } from '../../process/serve-parent.ts';
import { loadKokoro } from './model.ts';
import type { KokoroRequest, KokoroSettings } from './protocol.ts';

// The process that runs the model, so that the server never waits for arithmetic and survives a crash of it.
serveParent<KokoroSettings, KokoroRequest, Float32Array>(async (settings) => {
  const synthesize = await loadKokoro(settings);
  return oneAtATime(async (request, give) => give(await synthesize(request)));
});
