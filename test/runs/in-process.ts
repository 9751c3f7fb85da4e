import { doors } from '../doors.js';
import { workplace } from '../workplace.js';

export const place = workplace();

const door = doors();

/** 310 broadcasts at 200 a second, 3 of them warm-up. */
const sizes = ['--clients', '23', '--broadcasts', '307', '--rate', '200/s', '--warm-up', '3', '--publishers', '3'];

export const flags = ['--publish', 'in-process', ...sizes, '--ramp-rate', '500/s', '--drain', '10s'];

export const faultless = { refused: 0, failed: 0, lost: 0, duplicate: 0, outOfOrder: 0, late: 0, latePublishes: 0 };

/** An address that hands batches on to a target, and tells of each request how many broadcasts it carried. */
export async function counting(port: number, seen: (path: string, broadcasts: number) => void): Promise<string> {
  const count = (path: string, body: Buffer): void =>
    seen(path, (JSON.parse(body.toString()) as { data: unknown[] }).data.length);
  return `http://127.0.0.1:${await door.posts(port, count)}/_publish-in-process`;
}
