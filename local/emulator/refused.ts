/** What the emulator does not do, in one sentence for the caller. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
