import type { JobStatus } from '../../contract/shard.js';

/** Begins a line that `me.log` wrote. */
const ofClient = /^client \d+: /;

interface Logging {
  status: Pick<JobStatus, 'log'> | undefined;
}

/** Notes the lines that clients of flows log, each once. A shard shows its last lines again and again. */
export class LoggedLines {
  readonly #seen = new Map<Logging, readonly string[]>();

  constructor(private readonly note: (line: string) => void) {}

  look(members: readonly Logging[]): void {
    for (const member of members) {
      const lines = member.status?.log ?? [];
      for (const line of newLines(this.#seen.get(member) ?? [], lines)) if (ofClient.test(line)) this.note(line);
      this.#seen.set(member, lines);
    }
  }
}

/** Returns what lines have at their end that they did not have before. The oldest may have gone meanwhile. */
function newLines(before: readonly string[], lines: readonly string[]): readonly string[] {
  for (let gone = 0; gone < before.length; gone++) {
    const kept = before.length - gone;
    if (kept <= lines.length && before.slice(gone).every((line, at) => line === lines[at])) return lines.slice(kept);
  }
  return lines;
}
