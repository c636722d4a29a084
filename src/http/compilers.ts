import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type Compiled = ((value: unknown) => unknown) & { errors?: unknown };
type Compile = (route: { schema: object }) => Compiled;
type Build = (...of: unknown[]) => Compile;

/**
 * The framework's own compilers, which compile a schema when it is first used: compiling all of them was a third of a
 * server's start. What is compiled serves all servers of the process.
 */
export const COMPILERS = {
  buildValidator: lazily(AjvCompiler() as Build),
  buildSerializer: lazily(SerializerSelector() as unknown as Build),
} as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

function lazily(build: Build): Build {
  const known = new WeakMap<object, Compiled>();
  return (...of) => {
    const compile = build(...of);
    return (route) => {
      let compiled: Compiled | undefined;
      const use: Compiled = (value) => {
        compiled ??= known.getOrInsertComputed(route.schema, () => compile(route));
        const result = compiled(value);
        // The framework reads what a validator found from the function itself.
        use.errors = compiled.errors;
        return result;
      };
      return use;
    };
  };
}
