import { broadcastState } from '../../measure/samples/board.js';
import { BroadcastPublisher } from '../broadcasts/publisher.js';
import { dueAtNs } from '../pace.js';
import type { RoleReport } from '../scenario.js';
import type { DeployOptions } from './options.js';

/** Publishes on one open schedule from the steady stage on, whatever happens to the application. */
export class DeployPublisher extends BroadcastPublisher<DeployOptions> {
  #underWay: Promise<void> = Promise.resolve();
  #orderNs = Number.POSITIVE_INFINITY;

  override async stage(name: string, startAtNs: number, signal: AbortSignal): Promise<void> {
    const { warmUp, ratePerSecond, beforeMs } = this.context.options;
    if (name === 'steady') {
      this.#underWay = super.stage('publish', startAtNs, signal);
      await this.context.until(startAtNs + dueAtNs(warmUp, ratePerSecond) + beforeMs * 1e6, signal);
    }
    if (name === 'redeploy') {
      this.#orderNs = startAtNs;
      await this.#underWay;
    }
  }

  override report(): RoleReport {
    const report = super.report();
    const { board, options } = this.context;
    const none = new Uint32Array(board.size - options.warmUp);
    const { failed = none, refused = none } = report.series;
    // A run that ends between its stages waits for no answer.
    let unanswered = 0;
    board.state.subarray(options.warmUp).forEach((state, broadcast) => {
      if (state !== broadcastState.sent) return;
      failed[broadcast] = 1;
      unanswered++;
    });
    const causes = report.causes.publish ?? {};
    if (unanswered > 0) causes.ours = (causes.ours ?? 0) + unanswered;
    const isTaken = (broadcast: number): boolean => failed[broadcast] === 0 && refused[broadcast] === 0;
    const wasAfter = (broadcast: number): boolean =>
      (board.intendedAtNs[options.warmUp + broadcast] as number) >= this.#orderNs;
    const unpublished = [...failed.keys()].filter((broadcast) => !isTaken(broadcast));
    return {
      ...report,
      counts: {
        ...report.counts,
        dueAfter: [...failed.keys()].filter(wasAfter).length,
        unpublishedAfter: unpublished.filter(wasAfter).length,
      },
      causes: { publish: causes },
      series: { ...report.series, failed },
    };
  }
}
