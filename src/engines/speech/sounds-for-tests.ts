/** All pieces of a speech, and how many samples they have together. */
export async function collect(
  speech: AsyncIterable<Float32Array>,
): Promise<{ pieces: Float32Array[]; samples: number }> {
  const pieces: Float32Array[] = [];
  for await (const piece of speech) pieces.push(piece);
  return { pieces, samples: pieces.reduce((sum, piece) => sum + piece.length, 0) };
}

/** How loud a piece is on average; speech lies between 0.01 and 0.5, noise and silence do not. */
export function loudness(pieces: Float32Array[]): number {
  let squares = 0;
  let count = 0;
  for (const piece of pieces) {
    for (const sample of piece) squares += sample * sample;
    count += piece.length;
  }
  return Math.sqrt(squares / count);
}

/** The share of neighbours that lie far apart: near nothing in speech, near all in noise. */
export function roughness(pieces: Float32Array[]): number {
  let jumps = 0;
  let count = 0;
  for (const piece of pieces) {
    for (let i = 1; i < piece.length; i++) if (Math.abs((piece[i] ?? 0) - (piece[i - 1] ?? 0)) > 0.3) jumps++;
    count += piece.length;
  }
  return jumps / count;
}
