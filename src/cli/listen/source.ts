/** Raw samples with one channel. */
export type Format = { encoding: string; sample_rate: number };

export type Source = { name: string; isMicrophone: boolean; format: Format; sound: AsyncIterable<Uint8Array> };
