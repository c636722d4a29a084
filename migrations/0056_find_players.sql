-- Rolls: 0042 has set the level of the next release already, so no earlier release meets this.

-- Texts that read alike have one form: without the width, the case and the marks of letters. The case of all letters is known to
-- PostgreSQL ≥ 17 itself, and to earlier ones with ICU, whatever the database's locale is. Without ICU, a database with LC_CTYPE C knows
-- that of A to Z alone.
DO $$
BEGIN
  EXECUTE format($function$
    CREATE FUNCTION search_form(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(lower(normalize($1, NFKD) COLLATE pg_catalog.%I), '[\u0300-\u036f\u0640\u064b-\u0652\u0670]', '', 'g')
  $function$, (
    SELECT collname FROM pg_collation
     WHERE collnamespace = 'pg_catalog'::regnamespace AND collname IN ('pg_c_utf8', 'und-x-icu', 'default')
     ORDER BY collname = 'pg_c_utf8' DESC, collname = 'und-x-icu' DESC LIMIT 1));
END $$;

-- All pairs of characters that follow each other in a text, so that an index finds any part of a name, also in a script without spaces.
-- They are numbers, because an update of the operating system can change how texts are ordered, and so break an index of texts.
CREATE FUNCTION search_pairs(text) RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT ascii(one)::bigint << 21 | ascii(next)
    FROM ROWS FROM (string_to_table($1, NULL), string_to_table(substr($1, 2), NULL)) AS pairs (one, next)
   WHERE next IS NOT NULL);

-- Written when somebody signs up or changes their name or e-mail address, and by nothing else.
CREATE INDEX full_users_by_part ON users USING gin (search_pairs(search_form(display_name || E'\n' || coalesce(email, ''))))
  WITH (fastupdate = off) WHERE kind = 'full';
-- There are many guests, and all of them are called "Guest" and four characters.
CREATE INDEX guests_by_name ON users (lower(display_name COLLATE "C"), id) WHERE became_full_at IS NULL;
CREATE INDEX apps_by_part ON apps USING gin (search_pairs(search_form(name)));
CREATE INDEX users_by_age ON users (created_at, id);
DROP INDEX full_users_by_name, apps_by_name;

-- The last day (UTC) on which somebody used the service, written once a day for each.
CREATE TABLE seen_players (
  user_id text PRIMARY KEY,
  day date NOT NULL
);
CREATE INDEX seen_players_by_day ON seen_players (day, user_id);
