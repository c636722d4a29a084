/** The languages of pages and mails (BCP 47), in the order in which a reader may choose one. */
export const LOCALES = ['en', 'de', 'es', 'fr', 'pt-BR', 'ja', 'ar'] as const;

export type Locale = (typeof LOCALES)[number];
