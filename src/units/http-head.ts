/** What ends a head, and how many bytes it may have before that. */
export const endOfHead = '\r\n\r\n';
export const largestHeadBytes = 16_384;

const interimLine = 'HTTP/1.1 100 ';

/** What is left of an answer behind its interim ones, such as 100 or 103, but not 101 (RFC 9110, section 15.2). */
export function behindInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (isInterim(statusOf(rest)) && rest.includes(endOfHead))
    rest = rest.subarray(rest.indexOf(endOfHead) + endOfHead.length);
  return rest;
}

/** Whether a head that has begun so, or has yet to begin, can be one of an interim answer. */
export function canBeInterim(bytes: Buffer): boolean {
  const status = statusOf(bytes);
  return bytes.length <= largestHeadBytes && isInterim(status + interimLine.slice(status.length));
}

function statusOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, interimLine.length);
}

function isInterim(status: string): boolean {
  return /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/.test(status);
}
