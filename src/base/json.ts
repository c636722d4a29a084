/** A JSON object without a closer type, such as one of the API's description: a test validates that against OpenAPI's schema. */
export type Json = { readonly [name: string]: unknown };
