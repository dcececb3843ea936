/** In the order of their tokens, which follow the start of a transcript. */
export const LANGUAGES = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy ' +
  'sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo ' +
  'uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'
).split(' ');

/** As the wire has them: two letters, or none. */
export function wireLanguage(code: string): string | null {
  if (code === 'jw') return 'jv';
  return code.length === 2 ? code : null;
}

/** The model's own code for a language of the wire. */
export function modelLanguage(code: string): string | undefined {
  const own = code === 'jv' ? 'jw' : code;
  return LANGUAGES.includes(own) ? own : undefined;
}

/** Languages that are written without spaces between words. */
export const UNSPACED: ReadonlySet<string> = new Set(['zh', 'ja', 'th', 'lo', 'my', 'km', 'bo']);

/** Spoken Hindi and Urdu sound the same to the model: unless the client says which it is, what is heard is Hindi. */
export const HEARD_AS: Readonly<Record<string, string>> = { ur: 'hi' };

/** Scripts, by how their letters begin in UTF-8, that the model mixes up with the one of a language. */
const FOREIGN_SCRIPTS: Readonly<Record<string, RegExp>> = {
  hi: /[\xd8-\xdb]/,
  ur: /\xe0[\xa4\xa5]/,
};

/** Whether these bytes, one character each, belong to a script in which the language is not written. */
export function isForeign(language: string, bytes: string): boolean {
  return FOREIGN_SCRIPTS[language]?.test(bytes) ?? false;
}
