import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type Compile = (route: { schema: object }) => Compiled;
type Compiled = ((...values: unknown[]) => unknown) & { errors?: unknown };

/**
 * The framework's own compilers, which compile a schema when it is first used: compiling all of them was a third of a
 * server's start. What is compiled serves all servers of the process.
 */
export const COMPILERS = {
  buildValidator: lazily(AjvCompiler()),
  buildSerializer: lazily(SerializerSelector()),
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

function lazily(build: unknown): (...of: unknown[]) => Compile {
  const known = new WeakMap<object, Compiled>();
  return (...of) => {
    const compile = (build as (...of: unknown[]) => Compile)(...of);
    return (route) => {
      const use: Compiled = (...values) => {
        let compiled = known.get(route.schema);
        if (!compiled) {
          compiled = compile(route);
          known.set(route.schema, compiled);
        }
        const result = compiled(...values);
        use.errors = compiled.errors;
        return result;
      };
      return use;
    };
  };
}
