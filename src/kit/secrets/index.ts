export {
  addKey,
  createFileKeyring,
  createFixedKeyring,
  isSecretKey,
  type Keyring,
  keepKeys,
  SECRET_KEY_FILE,
} from './keyring.ts';
export { createSecretBox, type SecretBox } from './secret-box.ts';
