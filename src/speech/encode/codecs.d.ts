// The part that we use of modules that come without types of their own.

declare module 'opusscript/build/opusscript_native_wasm.js' {
  type Handler = {
    _encode(input: number, inputBytes: number, output: number, frameSamples: number): number;
    _encoder_ctl(request: number, value: number): number;
  };
  export default function open(): {
    OpusScriptHandler: {
      new (sampleRate: number, channels: number, application: number): Handler;
      destroy_handler(handler: Handler): void;
    };
    HEAPU8: Uint8Array;
    HEAPU16: Uint16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
  };
}
