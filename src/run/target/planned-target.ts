import type { RailwayAccess } from '../../targets/observe/railway.js';
import type { Target } from '../../targets/target.js';
import type { RestartWay } from './restart-brought.js';

/** A target of a plan: one that we start, or one that runs already. */
export type PlannedTarget =
  | { isOurs: true; name: string; protocol: string; target: Target; options: Record<string, unknown> }
  | {
      isOurs: false;
      name: string;
      protocol: string;
      /** What its clients are told, by key. */
      protocolOptions: Record<string, unknown>;
      wsUrl: string;
      publishUrl: string;
      inProcessUrl?: string | undefined;
      statsUrl: string | undefined;
      metricsUrl: string | undefined;
      railway: RailwayAccess | undefined;
      publishHeaders: Record<string, string>;
      restart?: RestartWay | undefined;
    };
