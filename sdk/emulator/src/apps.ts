/** An app, or its id. */
export type AppOrId = string | { readonly id: string };

export const idOf = (app: AppOrId): string => (typeof app === 'string' ? app : app.id);
