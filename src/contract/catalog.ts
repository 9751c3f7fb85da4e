/** Every scenario, protocol and load option by name: what driver and bench-runner agree there is. */

export { protocolByName, protocolOptions, protocolOptionsOf, protocols } from '../protocols/list.js';
export type { Protocol } from '../protocols/protocol.js';
export { scenarioByName, scenarios } from '../scenarios/list.js';
export { clientKinds, defaultWorkers, type LoadOptions, loadOptions } from '../scenarios/load-options.js';
export { publishWayOf } from '../scenarios/publish-ways.js';
export { clientsBegun, type PlannedStage, plannedStages } from '../scenarios/rounds.js';
export type {
  Demand,
  FailedDisruption,
  GiveUp,
  HeadlineColumn,
  Ledger,
  LedgerEntries,
  Scenario,
} from '../scenarios/scenario.js';
