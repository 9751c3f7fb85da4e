import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

type Pieces = Iterable<string> | AsyncIterable<string>;

/** Replaces a file atomically, with its mode and through links. Rejects with the file system's error. */
export async function writeWholeFile(path: string, pieces: Pieces): Promise<void> {
  const place = (await unlessMissing(realpath(path))) ?? path;
  const found = await unlessMissing(stat(place));
  if (found && !found.isFile()) {
    await pipeline(Readable.from(pieces), createWriteStream(place));
    return;
  }
  const draft = `${place}.${process.pid}.new`;
  // Flushed before the rename: a power cut leaves the old file or the new one.
  const file = createWriteStream(draft, { flush: true, ...(found && { mode: found.mode }) });
  const closed = new Promise<void>((resolve) => file.once('close', () => resolve()));
  try {
    await pipeline(Readable.from(pieces), file);
    await rename(draft, place);
  } catch (error) {
    // It may only now be opened.
    await closed;
    await rm(draft, { force: true });
    throw error;
  }
}

/** What the file system finds, or undefined where nothing is; an error with the code `also` means that, too. */
export function unlessMissing<T>(found: Promise<T>, also?: string): Promise<T | undefined> {
  return found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || (also !== undefined && error.code === also)) return undefined;
    throw error;
  });
}
