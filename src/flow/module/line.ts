import { outsideText } from '../../units/text.js';
import { Left } from '../api.js';

/** Begins the name of a user's source in the source map of a bundle. */
export const sourceScheme = 'flow:';
/** Begins the name of a package's source there. */
export const packageScheme = 'package:';

const frame = new RegExp(`\\b${sourceScheme}(.+?:\\d+):\\d+\\)?$`, 'm');

/** Returns the line of a user's file where an error came from, such as `chat.ts:14`. Undefined if none took part. */
export function lineOfError(error: unknown): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  const line = frame.exec(stack ?? '')?.[1];
  return line === undefined ? undefined : outsideText(line);
}

/**
 * Gives a failure the line of the call that waited for it, which made `site`. One failure can end many waits, and a
 * stack is only rendered when somebody reads it.
 */
export function failureAt(site: Left, failure: Error): Error {
  if (!(failure instanceof Left)) return failure;
  const { cause, message } = failure;
  return Object.assign(site, { cause, message });
}

/** Returns true if the code of a bundle threw an error: a user's, or that of a package in it. */
export function isOfBundle(error: unknown): boolean {
  return !(error instanceof Error) || new RegExp(`\\b(${sourceScheme}|${packageScheme})`).test(error.stack ?? '');
}

/** Describes what a user's code threw: its message, and its line if that is known. */
export function thrownInWords(error: unknown, name: string): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `${lineOfError(error) ?? name}: ${outsideText(message)}`;
}
