import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Token, Tokens } from 'marked';
import { type Bases, basesOf } from '../../../config/bases.ts';
import { isLoopback } from '../../../config/development.ts';
import type { Settings } from '../../../config/settings.ts';
import { OPERATE, START } from './docs-paths.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';
import type { LinkTarget } from './markdown-spans.ts';

/** A page of the documentation that is written in Markdown. */
export type Guide = Rendered & {
  /** The last part of its address. */
  readonly name: string;
  readonly path: string;
  /** What is there, in a few words. Empty if the table of contents does not list it. */
  readonly about: string;
  readonly reader: 'developer' | 'operator';
};

const REPOSITORY = new URL('../../../../', import.meta.url);
/** Each with its table of contents, `README.md`, and where its pages are served. */
const FOLDERS = { 'docs/integrate': '/docs/guides', 'docs/operate': OPERATE } as const;
const CONTENTS = 'README.md';
/** The client libraries' READMEs, and their names here. */
const LIBRARIES: Readonly<Record<string, string>> = { 'sdk/README.md': 'sdk', 'sdk/csharp/README.md': 'csharp' };
const TUTORIAL = 'docs/integrate/tutorial.md';

/** Files that are no guides, and where they are served. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/README.md': START,
  'docs/integrate/README.md': START,
  'docs/operate/README.md': OPERATE,
  'docs/openapi.json': '/openapi.json',
};

/**
 * The guides: every page of docs/integrate and the libraries' READMEs, then every page of docs/operate, in the order of the tables in
 * their READMEs. What a table leaves out follows. Their addresses become those of this installation.
 */
export async function readGuides(settings: Settings, publicUrl: string): Promise<Guide[]> {
  // Only the documentation needs the parser, so a start does not load it.
  const { lexer } = await import('marked');
  const bases = basesOf(settings, publicUrl);
  const parse = (file: string): Token[] => lexer(withAddresses(read(file), file, bases, publicUrl));
  const listed = new Map<string, string>();
  const files = Object.keys(FOLDERS).flatMap((folder) => {
    const rows = rowsOf(parse(`${folder}/${CONTENTS}`), folder);
    for (const [file, about] of rows) listed.set(file, about);
    const names = readdirSync(new URL(folder, REPOSITORY)).filter((name) => name.endsWith('.md'));
    return [...rows.keys(), ...names.toSorted().map((name) => `${folder}/${name}`)];
  });
  const found = new Set(files.filter((file) => pathOf(file)));
  const guides: Guide[] = [];
  for (const file of found) {
    guides.push({
      ...renderMarkdown(parse(file), linksFrom(file, found)),
      name: nameOf(file),
      path: pathOf(file)!,
      about: listed.get(file) ?? '',
      reader: file.startsWith('docs/operate/') ? 'operator' : 'developer',
    });
    // All of them take a quarter of a second, and payments go on meanwhile.
    await setImmediate();
  }
  return guides;
}

function read(file: string): string {
  return readFileSync(new URL(file, REPOSITORY), 'utf8');
}

/** `docs/integrate/api.md` → `api`, `sdk/README.md` → `sdk` */
function nameOf(file: string): string {
  return LIBRARIES[file] ?? posix.basename(file, '.md');
}

/** Undefined for files that are no guide. */
function pathOf(file: string): string | undefined {
  if (file in LIBRARIES) return `/docs/guides/${LIBRARIES[file]}`;
  if (file in ELSEWHERE || !file.endsWith('.md')) return undefined;
  const folder = (FOLDERS as Readonly<Record<string, string>>)[posix.dirname(file)];
  return folder && `${folder}/${nameOf(file)}`;
}

/** The rows of the table of contents: file → what is there. */
function rowsOf(contents: readonly Token[], folder: string): Map<string, string> {
  const table = contents.find((token): token is Tokens.Table => token.type === 'table');
  return new Map(
    table?.rows.flatMap(([page, about]) => {
      const link = page?.tokens.find((token): token is Tokens.Link => token.type === 'link');
      return link ? [[posix.join(folder, link.href), about?.text ?? ''] as const] : [];
    }),
  );
}

/** Links of one page: to other guides here, to what is served elsewhere, and the names of other files of the sources. */
function linksFrom(file: string, guides: ReadonlySet<string>): LinkTarget {
  return (href) => {
    if (/^(https?:|#|\/)/.test(href)) return { address: href };
    const [path = '', anchor] = href.split('#');
    const target = posix.join(posix.dirname(file), path);
    const address = guides.has(target) ? pathOf(target) : (ELSEWHERE[target] ?? pictureAddress(target));
    return address ? { address: `${address}${anchor ? `#${anchor}` : ''}` } : { file: target };
  };
}

const PICTURE = /^docs\/integrate\/([\w-]+\.svg)$/;

/** Where a picture beside a guide is served. */
function pictureAddress(file: string): string | undefined {
  const name = PICTURE.exec(file)?.[1];
  return name && `${FOLDERS['docs/integrate']}/${name}`;
}

/** The pictures of guides, by their paths. */
export function readPictures(): Map<string, string> {
  const files = readdirSync(new URL('docs/integrate', REPOSITORY)).map((name) => `docs/integrate/${name}`);
  return new Map(
    files.flatMap((file) => {
      const address = pictureAddress(file);
      return address ? [[address, read(file)] as const] : [];
    }),
  );
}

/** Stands for this installation in the files: names in braces, and the addresses of examples. */
const STAND_INS =
  /\{(?:origin|base_url|dev_base_url|signup_url|approval_url)\}|https:\/\/quarters\.example(?:\/v1\/)?/g;
/** A developer's own service. The client library calls the API there, and gets pages from it. */
const OWN_SERVICE = /(const url = ')?http:\/\/localhost:8080/g;

/** Replaces what stands for an address in the repository. */
function withAddresses(text: string, file: string, bases: Bases, publicUrl: string): string {
  const addresses: Readonly<Record<string, string>> = {
    '{origin}': publicUrl,
    '{base_url}': bases.api,
    '{dev_base_url}': bases.devApi,
    '{signup_url}': bases.signup,
    '{approval_url}': bases.approval,
    'https://quarters.example/v1/': `${bases.api}/v1/`,
    'https://quarters.example': publicUrl,
  };
  const done = text.replace(STAND_INS, (found) => addresses[found]!);
  // Who reads the tutorial elsewhere starts a service on their own machine, with the addresses that the file names.
  const isTheirs = file === TUTORIAL && !isLoopback(new URL(publicUrl).hostname);
  if (isTheirs || (file !== TUTORIAL && !(file in LIBRARIES))) return done;
  return done.replace(OWN_SERVICE, (_, before) => (before ? before + bases.api : publicUrl));
}
