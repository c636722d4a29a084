/** The secret of an `Authorization: Bearer …` header (RFC 6750, section 2.1), in any spelling; undefined for other headers. */
export function readBearer(header: string): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
}
