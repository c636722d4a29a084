import { invalidInput } from '../../base/problems.ts';
import { type Picture, readPicture } from '../../identity/picture-file.ts';

/** The picture in a file. Throws `invalid-input`. */
export function checkedPicture(file: Uint8Array): Picture {
  const read = readPicture(file);
  if ('fault' in read) throw invalidInput('/picture', read.fault);
  return read.picture;
}
