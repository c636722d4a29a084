export type Page = {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Where it sends the browser, in full. */
  readonly location: string | undefined;
};

type Cookie = { readonly value: string; readonly path: string };

/** As much of a browser as these flows need: cookies by path, redirects followed within the service, forms. */
export type Browser = {
  /** One request; no redirect is followed. */
  visit(address: string, form?: Record<string, string>): Promise<Page>;
  /** Follows redirects as long as they stay with the service: ends on a page, or with the redirect that leaves. */
  arrive(address: string, form?: Record<string, string>): Promise<Page>;
  /** Sends the form of a consent page with this decision, and follows. */
  answer(page: Page, decision: string): Promise<Page>;
  setCookie(name: string, value: string): void;
  cookie(name: string): string | undefined;
};

export function openBrowser(origin: string): Browser {
  // One of the same name and path replaces the other (RFC 6265, section 5.3).
  const jar = new Map<string, Cookie>();

  const browser: Browser = {
    async visit(address, form) {
      const url = new URL(address, origin);
      const cookies = [...jar]
        .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path === '/' ? '/' : `${path}/`))
        .map(([key, { value }]) => `${key.split(' ')[0]}=${value}`);
      const answer = await fetch(url, {
        redirect: 'manual',
        headers: { accept: 'text/html', cookie: cookies.join('; '), ...(form && { origin }) },
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      });
      for (const line of answer.headers.getSetCookie()) keep(line);
      const location = answer.headers.get('location');
      return {
        url: url.href,
        status: answer.status,
        headers: answer.headers,
        body: await answer.text(),
        location: location === null ? undefined : new URL(location, url).href,
      };
    },
    async arrive(address, form) {
      let page = await browser.visit(address, form);
      for (let hops = 0; page.location?.startsWith(`${origin}/`) && !page.location.includes('/sign-'); hops++) {
        if (hops > 10) throw new Error(`Redirects without end at ${page.url}`);
        page = await browser.visit(page.location);
      }
      return page;
    },
    answer: (page, decision) => browser.arrive(page.url, { ...hiddenFields(page), decision }),
    setCookie: (name, value) => jar.set(`${name} /`, { value, path: '/' }),
    cookie: (name) => jar.get(`${name} /`)?.value,
  };

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    if (value === '') jar.delete(`${name} ${path}`);
    else jar.set(`${name} ${path}`, { value, path });
  }

  return browser;
}

export function hiddenFields({ body }: Pick<Page, 'body'>): Record<string, string> {
  const fields = body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]));
}

/** What a page’s script posts to a game: the result, who may read it, and the game’s name for the frame. */
export type PostedResult = {
  readonly result: Record<string, unknown>;
  readonly origins: string[];
  readonly frameId?: string;
};

/** Null if the page posts nothing. */
export function postedResult({ body }: Pick<Page, 'body'>): PostedResult | null {
  const attribute = (name: string) => new RegExp(` data-${name}="([^"]*)"`).exec(body)?.[1];
  const [result, frameId] = [attribute('result'), attribute('frame-id')];
  if (result === undefined) return null;
  return {
    result: JSON.parse(result.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')),
    origins: attribute('origins')?.split(' ') ?? [],
    ...(frameId !== undefined && { frameId }),
  };
}
