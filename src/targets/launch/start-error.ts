/** A target can't be started, or what answers on its port is not what was started. */
export class TargetStartError extends Error {
  readonly why: string;
  readonly hint: string;

  constructor(why: string, hint: string) {
    super(why);
    this.name = 'TargetStartError';
    this.why = why;
    this.hint = hint;
  }
}
