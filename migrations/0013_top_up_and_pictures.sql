-- Where players buy quarters, if the app has such a page.
ALTER TABLE apps ADD COLUMN top_up_url text CHECK (char_length(top_up_url) <= 2000);

-- A picture is a PNG or a WebP. Its first bytes say which.
ALTER TABLE app_pictures RENAME COLUMN png TO bytes;
ALTER TABLE app_pictures RENAME CONSTRAINT app_pictures_png_check TO app_pictures_bytes_check;
-- Stored, because every read of an app names its picture's type, and should not open the picture for that.
ALTER TABLE app_pictures ADD COLUMN type text NOT NULL
  GENERATED ALWAYS AS (CASE WHEN substring(bytes FROM 1 FOR 4) = '\x52494646' THEN 'webp' ELSE 'png' END) STORED;
