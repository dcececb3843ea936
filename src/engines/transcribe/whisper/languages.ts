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
