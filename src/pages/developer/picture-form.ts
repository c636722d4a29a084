import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { MAX_PICTURE_BYTES } from '../../identity/picture-file.ts';

/** One byte above the limit shows that a file is too large; the rest of it is discarded as it arrives. */
const LIMITS = { fileSize: MAX_PICTURE_BYTES + 1, files: 1, fields: 4, parts: 5, fieldSize: 2048, headerPairs: 20 };

/**
 * Reads forms with a file (RFC 7578) in this scope: text fields as strings, files as Buffers. A malformed form throws `invalid-input`,
 * and one with too many parts throws `body-too-large`: any error of the parser is a fault of the input.
 */
export async function readPictureForms(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
  // The plugin's own reading of all parts is not used: its errors could not be told from ours.
  scope.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await readParts(request);
  });
}

async function readParts(request: FastifyRequest): Promise<Record<string, string | Buffer>> {
  const fields: [string, string | Buffer][] = [];
  try {
    for await (const part of request.parts()) {
      const value = part.type === 'file' ? await part.toBuffer() : part.value;
      if (typeof value === 'string' || Buffer.isBuffer(value)) fields.push([part.fieldname, value]);
    }
  } catch (error) {
    const isTooMuch = (error as { statusCode?: unknown }).statusCode === 413;
    throw isTooMuch
      ? new Problem('body-too-large', 'The form has too many parts.')
      : new Problem('invalid-input', 'The form cannot be read.');
  }
  return Object.fromEntries(fields);
}
