/** The secret of an `Authorization: Bearer …` header (RFC 6750, section 2.1), which has many spellings; undefined where it is none. */
export function readBearer(header: string): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1];
}
