const ADVICE: Readonly<Record<string, string>> = {
  unsupported_document: 'Save it as PDF, docx, Markdown or plain text and upload that.',
  document_encrypted: 'Remove its password and upload it again.',
  document_damaged: 'Open it in its program, save it again and upload that.',
  document_too_slow: 'Split it into smaller files.',
  document_too_large: 'Split it into smaller files.',
  document_empty: 'Upload a file with text, or a sharper scan.',
  document_has_macros: 'Save it without macros and upload that.',
  document_hides_text: 'Remove the hidden text and upload it again.',
  archive_too_large: 'Unpack it and upload the files that you need.',
  archive_too_deep: 'Unpack the inner archive and upload its files.',
  image_too_large: 'Make the picture smaller and upload it again.',
  web_page_unreadable: 'Check that the address is public, then read it again.',
  access_lost: 'Who uploaded it may no longer do so. Upload it again yourself.',
  no_ocr_model: 'Then read it again from its menu.',
  no_transcription_model: 'Then read it again from its menu.',
  weights_missing: 'Pull the model under Models, then read it again.',
  package_missing: 'Ask the operator to install what the message names, then read it again.',
};

/** What to do about a document that could not be read. */
export const adviceFor = (code: string): string =>
  ADVICE[code] ?? 'Read it again from its menu. If that fails too, upload it in another format.';
