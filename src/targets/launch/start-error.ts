/** Names the reason why a target does not serve. */
export type StartFailure =
  | 'notAvailable'
  | 'noSuchHost'
  | 'portTaken'
  | 'wrongProcesses'
  | 'ended'
  | 'notServing'
  | 'otherAnswers';

/** A target can't be started, or another process answers on its port. */
export class TargetStartError extends Error {
  override readonly name = 'TargetStartError';

  constructor(
    readonly code: StartFailure,
    readonly why: string,
    readonly hint: string,
  ) {
    super(why);
  }
}
