// Every repetition is bounded or starts at a word boundary, so that matching takes linear time.
const MAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(\.[\w-]{1,63}){1,8}/;
const CARD = /(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])/g;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b/g;
/** With a country code, or an area code in brackets, or at least nine digits that begin with a zero. */
const PHONE =
  /(?<![\w.])(?:\+\d{1,3}[ .-]?(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}|\(\d{3}\) ?\d{3}-\d{4}|0\d{2,4}[ /-]?\d{6,8}|0\d{3,4} \d{3} ?\d{3,4})(?![\w-])/;
const US_SOCIAL_SECURITY = /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/;

/** Finds mail addresses, phone numbers, social security numbers, card numbers and IBANs. */
export function hasPersonalData(text: string): boolean {
  return (
    MAIL.test(text) ||
    PHONE.test(text) ||
    US_SOCIAL_SECURITY.test(text) ||
    (text.match(CARD) ?? []).some(isCard) ||
    (text.match(IBAN) ?? []).some(isIban)
  );
}

/** Luhn's checksum, and a first digit of card networks: one in ten other numbers has a valid checksum. */
function isCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  if (!/^[2-6]/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The remainder by 97 of the number that an IBAN spells. */
function isIban(text: string): boolean {
  const compact = text.replaceAll(' ', '');
  if (compact.length < 15 || compact.length > 34) return false;
  let remainder = 0;
  for (const character of compact.slice(4) + compact.slice(0, 4)) {
    for (const digit of String(Number.parseInt(character, 36))) remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder === 1;
}
