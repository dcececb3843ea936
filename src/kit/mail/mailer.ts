import { createSecretHider } from '../base/hide-secrets.ts';

export type MailSettings = {
  host: string;
  port: number;
  /** `tls` from the first byte, `starttls` before anything is said, or `none` for a relay on the same machine. */
  security: 'tls' | 'starttls' | 'none';
  user?: string | undefined;
  password?: string | undefined;
  /** Who writes: an address, or a name with an address in angle brackets. */
  from: string;
};

export type Mail = { to: string; subject: string; text: string };

export type Mailer = {
  /** Resolves when the mail server has taken the mail; rejects when it could not be reached or would not. */
  send(mail: Mail): Promise<void>;
  close(): void;
};

const TIMEOUT_MS = 20_000;

export async function createMailer({ host, port, security, user, password, from }: MailSettings): Promise<Mailer> {
  // Loaded where mail is sent: most servers send none, and would wait for it at every start.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A mail is made of what we write; nothing in it may name a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // A server that refuses a password may repeat it, and why a mail was not sent is written down.
  const hide = createSecretHider(password === undefined ? [] : [password]);
  return {
    async send({ to, subject, text }) {
      try {
        // As an object, so that no character of the address can name a second one.
        await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
      } catch (error) {
        throw hide.error(error);
      }
    },
    close: () => transport.close(),
  };
}
