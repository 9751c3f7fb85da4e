/** A target can't be started, or another process answers on its port. */
export class TargetStartError extends Error {
  override readonly name = 'TargetStartError';

  constructor(
    readonly why: string,
    readonly hint: string,
  ) {
    super(why);
  }
}
