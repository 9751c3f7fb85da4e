import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group (version 1) below the one of this process, which limits what processes in it may use. */
export class ControlGroup {
  readonly #folder: string;

  /** `limits`: what is written to each of its files. */
  constructor(controller: 'cpu' | 'memory', limits: Readonly<Record<string, string>>) {
    this.#folder = join(ownFolder(controller) ?? '', `ringside-drill-${process.pid}`);
    mkdirSync(this.#folder);
    for (const [file, value] of Object.entries(limits)) writeFileSync(join(this.#folder, file), value);
  }

  /** Whether this process may make one. */
  static isThere(controller: 'cpu' | 'memory'): boolean {
    try {
      new ControlGroup(controller, {}).remove();
      return true;
    } catch {
      return false;
    }
  }

  take(pid: number): void {
    writeFileSync(join(this.#folder, 'cgroup.procs'), String(pid));
  }

  /** Call it when its processes have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}

function ownFolder(controller: string): string | undefined {
  const [, path] = new RegExp(`^\\d+:${controller}:(.*)$`, 'm').exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
  const folder = path === undefined ? undefined : join('/sys/fs/cgroup', controller, path);
  return folder !== undefined && existsSync(folder) ? folder : undefined;
}
