const MAGIC: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46], // ELF
  [0xfe, 0xed, 0xfa, 0xce], // Mach-O, and the three below
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe], // universal binary, or a Java class
];
const DOS_STUB = Buffer.from('This program cannot be run in DOS mode');
const PE_OFFSET = 0x3c;

/** Machine code, which cannot be reviewed by reading. */
export function isNativeProgram(bytes: Buffer): boolean {
  if (bytes.length < 16) return false;
  return MAGIC.some((magic) => magic.every((byte, index) => bytes[index] === byte)) || isWindowsProgram(bytes);
}

// A text may start with MZ too.
function isWindowsProgram(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 0, 2) !== 'MZ') return false;
  if (bytes.subarray(0, 512).includes(DOS_STUB)) return true;
  const header = bytes.length >= PE_OFFSET + 4 ? bytes.readUInt32LE(PE_OFFSET) : bytes.length;
  return header + 4 <= bytes.length && bytes.toString('latin1', header, header + 4) === 'PE\0\0';
}
