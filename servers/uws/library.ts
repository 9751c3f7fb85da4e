import { fail } from '../foreground.js';

/** The library under test. */
export type Library = typeof import('uWebSockets.js');

/** Loads the library; where it has no binary for this platform the process ends with exit code 2. */
export async function loadLibrary(): Promise<Library> {
  try {
    return await import('uWebSockets.js');
  } catch (error) {
    return fail('uws', `uWebSockets.js can't be loaded: ${(error as Error).message}`, 2);
  }
}
