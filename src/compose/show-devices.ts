import { Gauge, type Registry } from 'prom-client';
import type { EngineDevice } from '../engines/index.ts';

/** Shows in the metrics what each loaded model computes with, and which GPUs failed for it. */
export function showDevices(registry: Registry, list: () => { model: string; device: EngineDevice }[]): void {
  new Gauge({
    name: 'tramontane_model_device',
    help: 'What a loaded model of this machine computes with',
    labelNames: ['model', 'device'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { model, device } of list()) this.set({ model, device: device.kind }, 1);
    },
  });
  new Gauge({
    name: 'tramontane_model_left_device',
    help: 'A GPU that failed for a model and is not used until the next start',
    labelNames: ['model', 'device', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { model, device } of list())
        for (const { kind, reason } of device.left ?? []) this.set({ model, device: kind, reason }, 1);
    },
  });
}
