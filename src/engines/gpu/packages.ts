/** What llama.cpp computes with beside the CPU, where that is a package of its own. Metal comes with the Mac's. */
export const GPU_KINDS = ['cuda', 'vulkan'] as const;
export type GpuKind = (typeof GPU_KINDS)[number];

/** `name` without its scope. `unpackedBytes` bounds what is written. */
export type GpuPackage = { name: string; integrity: string; bytes: number; unpackedBytes: number };

export type GpuTable = Readonly<Record<string, Readonly<Record<GpuKind, readonly GpuPackage[]>>>>;

export const GPU_SCOPE = '@node-llama-cpp';

/** The packages of another version are ignored by node-llama-cpp, so this is the version of the lockfile. */
export const RUNTIME_VERSION = '3.21.1';

/** By platform and architecture. A test fails until this is renewed with node-llama-cpp (docs/gpu.md says how). */
export const gpuPackages: GpuTable = {
  'linux-x64': {
    cuda: [
      {
        name: 'linux-x64-cuda',
        integrity: 'sha512-idsE55VoD/FbvLhnBC9krUJaUoC0XnebseAAnCpm/brKf61HEbu+idgbb5eN6mxkjLSrHtILprJ0nDcUJjVrFg==',
        bytes: 142_850_036,
        unpackedBytes: 188_713_472,
      },
      {
        name: 'linux-x64-cuda-ext',
        integrity: 'sha512-1PuURowccBcks3CCoMe1mTHh5vD0V5bFHMUEgtbI/OSDjpP+Pdbn+lf42CGUrepTzR8kCH1HovQ7d8q6/vuIKA==',
        bytes: 176_679_086,
        unpackedBytes: 374_202_880,
      },
    ],
    vulkan: [
      {
        name: 'linux-x64-vulkan',
        integrity: 'sha512-flEeSzONQ6OIm5bYKLQf4eEnBzcC5WugFbyPUwkCqyyOFZ8pH0H9ulQ7ZNDLSIczeKneMRJornlyY1Hq7d3GDA==',
        bytes: 27_476_121,
        unpackedBytes: 84_502_528,
      },
    ],
  },
  'win32-x64': {
    cuda: [
      {
        name: 'win-x64-cuda',
        integrity: 'sha512-PLz70neFEMkQTlmJqG1ujUtCSgHasLPMxQ9rLkqQVmZYAXqkRj+45TIHCjdn3XqUeaoun0vrO9rRaxZ8NVq9jg==',
        bytes: 138_542_727,
        unpackedBytes: 175_524_352,
      },
      {
        name: 'win-x64-cuda-ext',
        integrity: 'sha512-L2MxLVEYPDDe4O8EDWPmX6brldc9+Vt9hNoT/anj3pSnmrjkQcmaoKhHs6oP5qhEhb5Uog0rj6lgzNGtJO3p9Q==',
        bytes: 175_417_684,
        unpackedBytes: 367_835_136,
      },
    ],
    vulkan: [
      {
        name: 'win-x64-vulkan',
        integrity: 'sha512-HJ237Azh5m4Sz+w3A1IU/fYLaSDOocskcfn2ILTgqTuuORCB86EMnu3Yt/XsNhRHTtEiwz1Q/E0mO4PLIbZLAA==',
        bytes: 26_619_567,
        unpackedBytes: 103_442_432,
      },
    ],
  },
};
