/** Hands bytes to the browser as a file. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([bytes]));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the blob over by the next turn of its loop, whatever becomes of the download.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
