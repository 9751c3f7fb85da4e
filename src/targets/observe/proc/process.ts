import type { MetricName } from '../../../measure/series.js';
import { type Ending, type Reading, reasonOf } from '../source.js';
import { isGone, type ProcFiles } from './files.js';
import { readingsBetween, type Snapshot, takeSnapshot } from './snapshot.js';
import { parseDescriptorLimit, parsePss } from './text.js';

/** Walking a process's page tables or naming its descriptors is work for the kernel that holds the target up: no more often than this. */
export const dearEveryMs = 5_000;

/** What one look at a process gave; its descendants are looked at on their own. */
export interface Look {
  values: Reading[];
  endings: Ending[];
  children: readonly number[];
}

/** One process, looked at again and again. */
export class ObservedProcess {
  readonly #files: ProcFiles;
  readonly #pid: number;
  #before: Snapshot | undefined;
  #dearAtMs = Number.NEGATIVE_INFINITY;

  constructor(files: ProcFiles, pid: number) {
    this.#files = files;
    this.#pid = pid;
  }

  /** Undefined when the process is gone, also when another one has its pid by now. */
  async look(atMs: number): Promise<Look | undefined> {
    const before = this.#before;
    const snapshot = takeSnapshot(this.#files, this.#pid, atMs);
    if (snapshot === undefined || (before !== undefined && before.startTicks !== snapshot.startTicks)) return undefined;
    this.#before = snapshot;
    const look: Look = {
      values: [
        { name: 'rssBytes', value: snapshot.rssBytes },
        { name: 'threads', value: snapshot.threads.size },
        ...(before === undefined ? [] : readingsBetween(before, snapshot)),
      ],
      endings: [],
      children: snapshot.children,
    };
    const isDearDue = atMs - this.#dearAtMs >= dearEveryMs;
    if (isDearDue) this.#dearAtMs = atMs;
    const folder = `/proc/${this.#pid}`;
    try {
      if (before === undefined) await this.#add(look, 'descriptorLimit', () => this.#descriptorLimit());
      await this.#add(look, 'descriptors', () => this.#descriptors(`${folder}/fd`, isDearDue));
      if (isDearDue)
        await this.#add(look, 'pssBytes', async () => parsePss(await this.#files.slowText(`${folder}/smaps_rollup`)));
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
    return look;
  }

  /** Adds a value, or why there is none: some files are for the process's owner alone. That the process is gone is thrown. */
  async #add(look: Look, name: MetricName, read: () => Promise<number | undefined>): Promise<void> {
    try {
      const value = await read();
      if (value !== undefined) look.values.push({ name, value });
    } catch (error) {
      if (isGone(error)) throw error;
      look.endings.push({ name, because: reasonOf(error) });
    }
  }

  async #descriptorLimit(): Promise<number | undefined> {
    const limit = parseDescriptorLimit(this.#files.text(`/proc/${this.#pid}/limits`));
    return Number.isFinite(limit) ? limit : undefined;
  }

  async #descriptors(folder: string, isDearDue: boolean): Promise<number | undefined> {
    const size = await this.#files.descriptorsBySize(folder);
    if (size > 0) return size;
    return isDearDue ? this.#files.descriptorsByName(folder) : undefined;
  }
}
