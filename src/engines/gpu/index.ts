export { type DetectedGpus, detectGpus, type FoundGpu } from './detect-gpus.ts';
export { type GpuInstallation, type InstallOptions as GpuInstallOptions, installGpu } from './install-gpu.ts';
export { gpuDirOf, type InstalledGpu, listInstalledGpus, removeGpu } from './installed.ts';
export { GPU_KINDS, type GpuKind, type GpuTable, gpuPackages, RUNTIME_VERSION } from './packages.ts';
