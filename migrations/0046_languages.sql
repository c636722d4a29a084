-- Rolls: an earlier release writes pages and mails in English, and leaves the column as it is.

-- The language of a full user's pages and mails (BCP 47). NULL: they have not signed in since there are several.
ALTER TABLE users ADD COLUMN locale text COLLATE "C" CHECK (length(locale) BETWEEN 2 AND 35);
