import { Type } from './schema.ts';

/** RFC 9457 problem details; `code` and `message` are ours. */
export const ProblemOut = Type.Object(
  {
    type: Type.String({ pattern: '^urn:quarters:problem:[a-z-]+$', description: 'the same in every installation' }),
    title: Type.String({ description: 'the same for every problem with this code' }),
    status: Type.Integer({ description: 'the HTTP status' }),
    detail: Type.String({ description: 'a sentence for people' }),
    code: Type.String({ pattern: '^[a-z-]+$', description: 'the code that programs should read' }),
    message: Type.String({ description: 'the same as `detail`' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description: 'a JSON pointer into the body (RFC 6901), or `path/…`, `query/…`, `header/…`',
          }),
          detail: Type.String({ description: 'what is wrong there' }),
        }),
        { minItems: 1, description: 'only for invalid input' },
      ),
    ),
  },
  { title: 'Problem', description: 'Why a call was refused (RFC 9457).' },
);
