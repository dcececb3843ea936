/** Runs in the audio thread: hands on what the microphone records, a tenth of a second at a time. */
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class Capture extends AudioWorkletProcessor {
  #held = new Float32Array(Math.round(sampleRate / 10));
  #count = 0;

  process(inputs: Float32Array[][]): boolean {
    for (const sample of inputs[0]?.[0] ?? []) {
      this.#held[this.#count] = sample;
      this.#count += 1;
      if (this.#count < this.#held.length) continue;
      const full = this.#held;
      this.#held = new Float32Array(full.length);
      this.#count = 0;
      this.port.postMessage(full, [full.buffer]);
    }
    return true;
  }
}

registerProcessor('capture', Capture);

// Nothing is shared with the page.
export {};
