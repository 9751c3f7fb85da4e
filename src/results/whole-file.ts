import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

type Pieces = Iterable<string> | AsyncIterable<string>;

/**
 * Writes a file so that whoever reads it finds what was there before, or all of the new: also where writing fails, or making the text does. A link stays
 * one; what is no file, as a device or a pipe, is written to as it is. It is on the disk before it takes its name. Rejects with the error of the file system.
 */
export async function writeWholeFile(path: string, pieces: Pieces): Promise<void> {
  const place = (await orNone(realpath(path))) ?? path;
  const found = await orNone(stat(place));
  if (found && !found.isFile()) {
    await pipeline(Readable.from(pieces), createWriteStream(place));
    return;
  }
  const draft = `${place}.${process.pid}.new`;
  try {
    await pipeline(
      Readable.from(pieces),
      createWriteStream(draft, { flush: true, ...(found && { mode: found.mode }) }),
    );
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function orNone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
