import type { App } from '../../identity/apps.ts';

/** The path of an app's picture. Null: it has none. */
export function picturePath({ id, picture }: Pick<App, 'id' | 'picture'>): string | null {
  return picture && `/apps/${id}/${picture}`;
}
