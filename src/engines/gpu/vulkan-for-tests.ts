import { existsSync, readdirSync } from 'node:fs';

const PLACES = ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'];

/** A Vulkan driver of this machine, which may be one that emulates a GPU. */
export const vulkanDriver: string | undefined =
  process.platform === 'linux'
    ? (process.env.VK_ICD_FILENAMES ?? PLACES.find((dir) => existsSync(dir) && readdirSync(dir).length > 0))
    : undefined;
