/** A publish request may be this long; a longer one is answered 413. */
export const maxBodyBytes = 1024 * 1024;

/** One publish: `data` is what subscribers get, as JSON text, and `value` is what that text says. */
export interface Broadcast {
  stream: string;
  data: string;
  value: unknown;
}

/** Reads the body of `POST /_broadcast`, `{"stream": S, "data": "<JSON>"}`; a body of any other form gives what is wrong with it. */
export function readBroadcast(body: string): Broadcast | { problem: string } {
  const request = parsed(body);
  if (request === undefined) return { problem: 'the body is not JSON' };
  if (typeof request.value !== 'object' || request.value === null) return { problem: 'the body is not a JSON object' };
  const { stream, data } = request.value as { stream?: unknown; data?: unknown };
  return checkBroadcast(stream, data);
}

/** Checks what is to be published, and to whom; gives what is wrong with it. */
export function checkBroadcast(stream: unknown, data: unknown): Broadcast | { problem: string } {
  if (typeof stream !== 'string' || stream === '') return { problem: '"stream" is not a non-empty string' };
  if (typeof data !== 'string') return { problem: '"data" is not a string of JSON' };
  const content = parsed(data);
  if (content === undefined) return { problem: '"data" is a string, but what it holds is not JSON' };
  return { stream, data, value: content.value };
}

/** The value of a text of JSON; undefined where it is none. */
export function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
