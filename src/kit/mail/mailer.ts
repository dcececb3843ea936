import { createSecretHider } from '../base/hide-secrets.ts';

export type MailSettings = {
  host: string;
  port: number;
  /** `tls` from the first byte, `starttls` before anything else, or `none` for a relay on the same machine. */
  security: 'tls' | 'starttls' | 'none';
  user?: string | undefined;
  password?: string | undefined;
  /** The sender: an address, or a name with an address in angle brackets. */
  from: string;
};

export type Mail = { to: string; subject: string; text: string };

export type Mailer = {
  /** Resolves when the mail server has accepted the mail; rejects otherwise. */
  send(mail: Mail): Promise<void>;
  close(): void;
};

const TIMEOUT_MS = 20_000;

export async function createMailer({ host, port, security, user, password, from }: MailSettings): Promise<Mailer> {
  // Loaded on first use: most servers send no mail.
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
    // Nothing in a mail may name a file or a URL for the library to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // A server may echo the password it refuses, and the reason of a failure is stored.
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
