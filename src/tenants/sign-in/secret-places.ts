/** To which row an encrypted secret belongs: copied into another row it does not open. */
export function factorPlace(userId: string): string {
  return `second factor ${userId}`;
}

export function sessionPlace(sessionId: string): string {
  return `provider session ${sessionId}`;
}
