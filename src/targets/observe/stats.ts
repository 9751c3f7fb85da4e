import { fetchStats } from '../launch/stats.js';
import { type Ending, Growth, type ObservationSource, type Reading } from './source.js';

/** A target's own `GET /_stats`. Event-loop figures count since the previous call, so the first reading has none. */
export function statsSource(url: string, fetch: typeof fetchStats = fetchStats): ObservationSource {
  let cpu = new Growth();
  let pidBefore: number | undefined;
  return {
    source: 'stats',
    reads: ['rssBytes', 'cpuPercent', 'connections', 'eventLoopDelayP99Ms', 'eventLoopUtilization'],
    async read({ nowMs }, signal) {
      const stats = await fetch(url, signal);
      const cpuSeconds = (stats.cpuUserUs + stats.cpuSystemUs) / 1e6;
      const endings: Ending[] = [];
      const isSame = pidBefore === stats.pid && !cpu.isFall(cpuSeconds);
      if (!isSame) {
        // In a container a restarted process has the same pid.
        if (pidBefore === stats.pid) endings.push({ because: `process ${stats.pid} restarted` });
        else if (pidBefore !== undefined) endings.push({ because: `process ${stats.pid} answers instead` });
        cpu = new Growth();
        pidBefore = stats.pid;
      }
      const perSecond = cpu.perSecond(cpuSeconds, nowMs());
      const values: Reading[] = [
        { name: 'rssBytes', value: stats.rssBytes },
        { name: 'connections', value: stats.connections },
      ];
      if (perSecond !== undefined) values.push({ name: 'cpuPercent', value: perSecond * 100 });
      if (isSame) {
        if (stats.eventLoopDelayP99Ms !== undefined)
          values.push({ name: 'eventLoopDelayP99Ms', value: stats.eventLoopDelayP99Ms });
        if (stats.eventLoopUtilization !== undefined)
          values.push({ name: 'eventLoopUtilization', value: stats.eventLoopUtilization * 100 });
      }
      return { endings, values: values.map((reading) => ({ ...reading, process: String(stats.pid) })) };
    },
  };
}
