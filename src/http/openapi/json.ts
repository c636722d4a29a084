/** An object of the description: OpenAPI has no types of its own here, a validator holds the whole to its schema. */
export type Json = { readonly [name: string]: unknown };
