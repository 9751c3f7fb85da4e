import { describe, expect, it } from 'vitest';
import { openGauge } from './gauge.js';

describe('the gauge of open connections', () => {
  it('is the running sum of what opened and closed', () => {
    const timeline = { opened: [7, 11, 0, 13], 'closed reset': [0, 0, 17], 'closed ours': [0, 0, 0, 0, 14] };
    expect(openGauge(timeline).atEnd).toEqual([7, 18, 1, 14, 0]);
  });

  it('has its peak before what closed in the same second', () => {
    expect(openGauge({ opened: [166, 87], 'closed end-of-stream': [0, 253] }).peak).toBe(253);
    expect(openGauge({ opened: [7, 11, 0, 19], 'closed reset': [0, 0, 17] }).peak).toBe(20);
  });

  it('leaves out those who never opened, and is zero of nothing', () => {
    expect(openGauge({ opened: [7], 'failed reset': [3, 5] }).peak).toBe(7);
    expect(openGauge({})).toEqual({ atEnd: [], peak: 0 });
  });
});
