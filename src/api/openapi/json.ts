/** An object of the description: It has no closer type; a test validates the whole document against OpenAPI's schema. */
export type Json = { readonly [name: string]: unknown };
