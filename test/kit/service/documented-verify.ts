import { readFile } from 'node:fs/promises';

type Verify = (headers: Readonly<Record<string, string>>, body: string | Buffer, secret: string) => boolean;

/** The check that docs/integrate/webhooks.md shows. */
export async function documentedVerify(): Promise<Verify> {
  const page = await readFile(new URL('../../../docs/integrate/webhooks.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]+?)```/.exec(page)![1]!;
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return module.verify as Verify;
}
