import type { Role, RoleReport } from '../scenario.js';

/** The publisher of a scenario in which clients do all the sending. */
export class NoPublisher implements Role {
  async stage(): Promise<void> {
    // No broadcast belongs to this test.
  }

  progress(): Record<string, number> {
    return {};
  }

  report(): RoleReport {
    return { counts: {}, causes: {}, timeline: {}, samples: {}, series: {} };
  }
}
