import type { Mail } from '../kit/mail/index.ts';

type Words = { subject: string; invited: string; open: string; ends: string; ignore: string };

/** With the placeholders `{organization}` and `{day}`. */
const WORDS: Record<string, Words> = {
  en: {
    subject: 'You are invited to {organization}',
    invited: 'You are invited to join the organization {organization}.',
    open: 'Open this link to accept:',
    ends: 'The link is for you alone and ends on {day} (UTC).',
    ignore: 'If you do not know what this is about, ignore this mail.',
  },
  fr: {
    subject: 'Invitation à rejoindre {organization}',
    invited: "Vous êtes invité à rejoindre l'organisation {organization}.",
    open: 'Ouvrez ce lien pour accepter :',
    ends: 'Ce lien vous est personnel et prend fin le {day} (UTC).',
    ignore: 'Si vous ne savez pas de quoi il s’agit, ignorez ce message.',
  },
  es: {
    subject: 'Invitación a {organization}',
    invited: 'Le han invitado a unirse a la organización {organization}.',
    open: 'Abra este enlace para aceptar:',
    ends: 'El enlace es personal y caduca el {day} (UTC).',
    ignore: 'Si no sabe de qué se trata, ignore este mensaje.',
  },
  de: {
    subject: 'Einladung zu {organization}',
    invited: 'Sie sind eingeladen, der Organisation {organization} beizutreten.',
    open: 'Öffnen Sie diesen Link, um anzunehmen:',
    ends: 'Der Link ist nur für Sie und gilt bis zum {day} (UTC).',
    ignore: 'Wenn Sie nicht wissen, worum es geht, beachten Sie diese Mail nicht.',
  },
  it: {
    subject: 'Invito a {organization}',
    invited: "È stato invitato a far parte dell'organizzazione {organization}.",
    open: 'Apra questo link per accettare:',
    ends: 'Il link è personale e scade il {day} (UTC).',
    ignore: 'Se non sa di che cosa si tratta, ignori questo messaggio.',
  },
  pt_br: {
    subject: 'Convite para {organization}',
    invited: 'Você foi convidado a entrar na organização {organization}.',
    open: 'Abra este link para aceitar:',
    ends: 'O link é pessoal e expira em {day} (UTC).',
    ignore: 'Se você não sabe do que se trata, ignore esta mensagem.',
  },
  pl: {
    subject: 'Zaproszenie do {organization}',
    invited: 'Zaproszono Cię do organizacji {organization}.',
    open: 'Otwórz ten link, aby przyjąć zaproszenie:',
    ends: 'Link jest tylko dla Ciebie i wygasa {day} (UTC).',
    ignore: 'Jeśli nie wiesz, o co chodzi, zignoruj tę wiadomość.',
  },
  ar: {
    subject: 'دعوة إلى {organization}',
    invited: 'أنت مدعو للانضمام إلى المؤسسة {organization}.',
    open: 'افتح هذا الرابط لقبول الدعوة:',
    ends: 'الرابط خاص بك وينتهي في {day} (UTC).',
    ignore: 'إذا كنت لا تعرف ما الأمر، فتجاهل هذه الرسالة.',
  },
  nl: {
    subject: 'Uitnodiging voor {organization}',
    invited: 'Je bent uitgenodigd om lid te worden van de organisatie {organization}.',
    open: 'Open deze link om te accepteren:',
    ends: 'De link is alleen voor jou en verloopt op {day} (UTC).',
    ignore: 'Weet je niet waar dit over gaat, negeer dan deze mail.',
  },
};

export function writeInvitation(invitation: {
  email: string;
  organization: string;
  language: string | null;
  expiresAt: string;
  url: string;
}): Mail {
  const { email, organization, language, expiresAt, url } = invitation;
  const words = WORDS[language ?? 'en'] ?? (WORDS.en as Words);
  // A line break in the name must not add a mail header.
  const name = organization.replaceAll(/\p{C}/gu, ' ');
  const fill = (text: string) => text.replace('{organization}', () => name).replace('{day}', expiresAt.slice(0, 10));
  const text = [fill(words.invited), `${words.open}\n${url}`, `${fill(words.ends)} ${words.ignore}`].join('\n\n');
  return { to: email, subject: fill(words.subject), text: `${text}\n` };
}
