/** What Tesseract needs for a language beside English, which is installed with the program. */
export const LANGUAGES = [
  {
    code: 'deu',
    name: 'German',
    bytes: 1_333_102,
    packageBytes: 8_411_089,
    sha256: '306c4280d0cbed46fbff727486bd43b92730181bae80f56941a091f363bdf28b',
  },
  {
    code: 'fra',
    name: 'French',
    bytes: 707_406,
    packageBytes: 6_959_264,
    sha256: 'd611139672b3752c7097e671e4a1d9209dfd37f2aeb081ef6487fba3351e9255',
  },
  {
    code: 'spa',
    name: 'Spanish',
    bytes: 2_100_190,
    packageBytes: 10_436_372,
    sha256: '40be52f97b5d4eb7460073dc1f94cd546b27150333c0bf854ed7e7132db6bceb',
  },
  {
    code: 'ita',
    name: 'Italian',
    bytes: 1_660_998,
    packageBytes: 8_567_364,
    sha256: 'f702fcfad297ce028ede3626d1467b67939f23ff23595f9badd54681cf25a4d3',
  },
  {
    code: 'por',
    name: 'Portuguese',
    bytes: 1_392_239,
    packageBytes: 8_124_452,
    sha256: 'dacebc1386ddaaf8389f81094236cca0d690897cde693d48cbdaa881c86e2b4c',
  },
  {
    code: 'nld',
    name: 'Dutch',
    bytes: 3_005_696,
    packageBytes: 13_178_605,
    sha256: 'a2d904b6ddc4feb0d31ecfcd7361a554102e7aa2e278c54f4fc029e0d0815571',
  },
  {
    code: 'pol',
    name: 'Polish',
    bytes: 2_642_356,
    packageBytes: 10_977_737,
    sha256: 'a20fdec4ff99d8f8e84c708da3e42a4e935c26863055a0ed88aef5c66a59b91b',
  },
  {
    code: 'ukr',
    name: 'Ukrainian',
    bytes: 2_114_206,
    packageBytes: 7_287_250,
    sha256: 'ea2789a0ad99ff84bfd252a7410a1e8661a7bc5acaa41573d23b54b71446aa4c',
  },
  {
    code: 'tur',
    name: 'Turkish',
    bytes: 2_141_291,
    packageBytes: 10_170_951,
    sha256: '384ba0dc28040451b7818d7d60e0a88df0d3003fa5a01d713a468779bc3d8c04',
  },
  {
    code: 'jpn',
    name: 'Japanese',
    bytes: 2_030_256,
    packageBytes: 18_107_568,
    sha256: '2b63ebfbf1484de4a08ce53b29ef98a1c17658a93cbd38acb665d7d316d0be88',
  },
  {
    code: 'chi_sim',
    name: 'Chinese, simplified',
    bytes: 1_718_768,
    packageBytes: 21_809_859,
    sha256: 'b8a23f10c7de500891eb458a8adc9cc58ab7f242f08b7d149f5e9aea4ad5db7c',
  },
  {
    code: 'kor',
    name: 'Korean',
    bytes: 1_572_336,
    packageBytes: 8_507_588,
    sha256: '78c21276ab14c9bb734d83be1055d9fe5469a4e7e977c51ad385be5737e61126',
  },
  {
    code: 'ara',
    name: 'Arabic',
    bytes: 1_661_906,
    packageBytes: 3_333_623,
    sha256: 'f4746c44b02342dd5b3d4f0198000f47d7c49f1a229e63e0f436c0592dcd9639',
  },
  {
    code: 'hin',
    name: 'Hindi',
    bytes: 1_389_692,
    packageBytes: 2_792_751,
    sha256: 'f3b6a0d320df38d886178cdd727b90dbf9df3db053adb32bd9cf73f0463cda07',
  },
] as const;

/** The catalogue's name for the model of a language. */
export function languageId(language: string): string {
  return `tesseract-${language}`;
}
