/** The named characters that texts really have; others stay as they are written. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', shy: '', zwnj: '\u200c', zwj: '\u200d' },
  ...{ ndash: '–', mdash: '—', hellip: '…', bull: '•', middot: '·', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”' },
  ...{ sbquo: '‚', bdquo: '„', laquo: '«', raquo: '»', lsaquo: '‹', rsaquo: '›', deg: '°', copy: '©', reg: '®' },
  ...{ trade: '™', euro: '€', pound: '£', yen: '¥', cent: '¢', sect: '§', para: '¶', times: '×', divide: '÷' },
  ...{ plusmn: '±', minus: '−', frac12: '½', frac14: '¼', frac34: '¾', sup2: '²', sup3: '³', micro: 'µ', iexcl: '¡' },
  ...{ iquest: '¿', szlig: 'ß', auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', aacute: 'á' },
  ...{ eacute: 'é', iacute: 'í', oacute: 'ó', uacute: 'ú', ntilde: 'ñ', Ntilde: 'Ñ', Eacute: 'É', Aacute: 'Á' },
  ...{ agrave: 'à', egrave: 'è', igrave: 'ì', ograve: 'ò', ugrave: 'ù', Agrave: 'À', Egrave: 'È', acirc: 'â' },
  ...{ ecirc: 'ê', icirc: 'î', ocirc: 'ô', ucirc: 'û', ccedil: 'ç', Ccedil: 'Ç', aring: 'å', Aring: 'Å', oslash: 'ø' },
  ...{ Oslash: 'Ø', aelig: 'æ', AElig: 'Æ', oelig: 'œ', OElig: 'Œ', euml: 'ë', iuml: 'ï', atilde: 'ã', otilde: 'õ' },
  ...{ rarr: '→', larr: '←', uarr: '↑', darr: '↓', harr: '↔', rArr: '⇒', le: '≤', ge: '≥', ne: '≠', asymp: '≈' },
};

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));/g;

/** Characters that markup writes by number or name. Nothing else is replaced, so nothing can grow. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
