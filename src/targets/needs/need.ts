/** A program of the system, and the Debian package that has it. */
export interface SystemProgram {
  command: string;
  debian: string;
}

/** What a target needs beyond `npm ci`: pinned npm packages in a folder of their own (`servers/needs/NAME`). */
export interface Need {
  /** That of its folder in `servers/needs/`. */
  name: string;
  /** What it brings, with versions. */
  title: string;
  downloadBytes: number;
  diskBytes: number;
  /** Where its packages run, as `process.platform` and `process.arch` name it. */
  platforms: readonly string[];
  /** Must be there before it can be installed. */
  programs: readonly SystemProgram[];
  /** The command that proves that it runs here, in its folder; `version` is in what it prints. */
  proof(folder: string): readonly [string, ...string[]];
  version: string;
}
