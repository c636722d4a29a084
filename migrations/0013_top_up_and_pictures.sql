-- Where players buy quarters, if the app has such a page.
ALTER TABLE apps ADD COLUMN top_up_url text CHECK (char_length(top_up_url) <= 2000);

-- A picture is a PNG or a WebP. Its first bytes say which.
ALTER TABLE app_pictures RENAME COLUMN png TO bytes;
ALTER TABLE app_pictures RENAME CONSTRAINT app_pictures_png_check TO app_pictures_bytes_check;
