/** The error numbers of WASI that the drive returns. */
export const OK = 0;
export const EBADF = 8;
export const EEXIST = 20;
export const EINVAL = 28;
export const EISDIR = 31;
export const EMFILE = 33;
export const ENAMETOOLONG = 37;
export const ENOENT = 44;
export const ENOSPC = 51;
export const ENOTDIR = 54;
export const ENOTEMPTY = 55;
export const ENOTSUP = 58;
