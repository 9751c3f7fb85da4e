/** What a code of an error frame or a close frame asks of a client, by ranges of hundred; undefined for other codes. */
export function adviceOf(code: number): string | undefined {
  if (code >= 4000 && code < 4100) return 'do not reconnect';
  if (code >= 4100 && code < 4200) return 'reconnect after a back-off';
  if (code >= 4200 && code < 4300) return 'reconnect at once';
  return undefined;
}

/** The data of a `pusher:error`. Both parts may be missing. */
export interface ErrorData {
  code?: unknown;
  message?: unknown;
}

/**
 * Why a session ends by an error frame, in words that are the same for all clients. Undefined for an error that ends
 * none: it has no code of 4000 to 4299, such as the refusal of a client event (4301).
 */
export function endOf({ code }: ErrorData): string | undefined {
  const advice = typeof code === 'number' ? adviceOf(code) : undefined;
  return advice && `${code} ${advice}`;
}

/** An error that ends no session, in words. */
export function wordsOf({ code, message }: ErrorData): string {
  const words = [code, message].filter((part) => typeof part === 'number' || typeof part === 'string');
  return words.join(' ') || 'error';
}
