export { type DetectedGpus, detectGpus, type FoundGpu } from './detect-gpus.ts';
export { type InstallOptions as GpuInstallOptions, installGpu } from './install-gpu.ts';
export { gpuDirOf, listInstalledGpus, removeGpu } from './installed.ts';
export { type GpuKind, RUNTIME_VERSION } from './packages.ts';
