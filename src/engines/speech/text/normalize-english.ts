const WORDS: Record<string, string> = {
  'dr.': 'doctor',
  'mr.': 'mister',
  'mrs.': 'missis',
  'ms.': 'miz',
  'prof.': 'professor',
  'e.g.': 'for example',
  'i.e.': 'that is',
  'etc.': 'et cetera',
  'vs.': 'versus',
  'approx.': 'approximately',
};
const ABBREVIATION = /(?<![\p{L}\p{N}.])(?:dr|mr|mrs|ms|prof|e\.g|i\.e|etc|vs|approx)\.(?=\s|,|$)/giu;
const NUMBER_OF = /\bNo\.\s(?=\d)/g;

const MONEY =
  /([$£€¥])\s?(\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.(\d{1,2})(?!\d))?(?:\s(hundred|thousand|million|billion|trillion)\b)?/gi;
const UNITS: Record<string, { one: string; many: string; cent: string; cents: string }> = {
  $: { one: 'dollar', many: 'dollars', cent: 'cent', cents: 'cents' },
  '€': { one: 'euro', many: 'euros', cent: 'cent', cents: 'cents' },
  '£': { one: 'pound', many: 'pounds', cent: 'penny', cents: 'pence' },
  '¥': { one: 'yen', many: 'yen', cent: 'sen', cents: 'sen' },
};

const ISO_DATE = /\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])/g;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DECADE = /\b(1[1-9]|20)([1-9])0'?s\b/g;
const TENS = ['', 'tens', 'twenties', 'thirties', 'forties', 'fifties', 'sixties', 'seventies', 'eighties', 'nineties'];
const YEAR =
  /\b(in|since|until|till|by|from|to|of|year|around|after|before|during|and)\s(1[1-9]\d\d|20[1-9]\d)(?![\d%])(?![.,:-]\d)/gi;
const CLOCK = /(?<![\d:.])(\d{1,2}):([0-5]\d)(?![\d:])/g;
// A hyphen between longer numbers is ambiguous: it may be part of a telephone number.
const RANGE = /(?<![\d\-–.,])(?:(\d{1,3})-(\d{1,3})|(\d{1,4})\s?–\s?(\d{1,4}))(?![\d\-–]|\.\d)/g;

/** What eSpeak NG reads wrongly or flatly in English, in words: money, dates, years, times, ranges, abbreviations. */
export function normalizeEnglish(text: string): string {
  return text
    .replace(ABBREVIATION, (found) => WORDS[found.toLowerCase()] ?? found)
    .replace(NUMBER_OF, 'number ')
    .replace(ISO_DATE, (_, year: string, month: string, day: string) => {
      return `${MONTHS[Number(month) - 1]} ${Number(day)}, ${sayYear(year)}`;
    })
    .replace(MONEY, (_, sign: string, whole: string, cents?: string, scale?: string) =>
      sayMoney(sign, whole, cents, scale),
    )
    .replace(DECADE, (_, century: string, ten: string) => `${century} ${TENS[Number(ten)]}`)
    .replace(YEAR, (_, word: string, year: string) => `${word} ${sayYear(year)}`)
    .replace(CLOCK, (_, hour: string, minute: string) => sayTime(hour, minute))
    .replace(RANGE, (found, ...parts: (string | undefined)[]) => {
      const [from, to] = parts[0] === undefined ? [parts[2], parts[3]] : parts;
      return Number(from) < Number(to) ? `${from} to ${to}` : found;
    });
}

function sayMoney(sign: string, whole: string, fraction: string | undefined, scale: string | undefined): string {
  const unit = UNITS[sign];
  if (!unit) return whole;
  if (scale !== undefined) return `${whole}${fraction === undefined ? '' : `.${fraction}`} ${scale} ${unit.many}`;
  const main = `${whole} ${whole === '1' ? unit.one : unit.many}`;
  const cents = Number((fraction ?? '').padEnd(2, '0'));
  return cents === 0 ? main : `${main} and ${cents} ${cents === 1 ? unit.cent : unit.cents}`;
}

/** 1984 as 19 84, 1905 as 19 oh 5, 1900 as 19 hundred; 2000 to 2009 are read as numbers. */
function sayYear(year: string): string {
  const [century, rest] = [year.slice(0, 2), Number(year.slice(2))];
  if (Number(century) < 11 || (century === '20' && rest < 10)) return year;
  if (rest === 0) return `${century} hundred`;
  return rest < 10 ? `${century} oh ${rest}` : `${century} ${rest}`;
}

function sayTime(hour: string, minute: string): string {
  if (Number(hour) > 23) return `${hour}:${minute}`;
  if (minute === '00') return `${Number(hour)} o'clock`;
  return minute.startsWith('0') ? `${Number(hour)} oh ${Number(minute)}` : `${Number(hour)} ${minute}`;
}
