/// <reference lib="dom" />
import type uPlotClass from 'uplot';
import type { Axis, Chart, Curve, PageData, Points } from '../charts/chart.js';

// This file runs in the page as compiled. It imports only types, and uPlot is a global.
const { uPlot } = globalThis as unknown as { uPlot: typeof uPlotClass };

type DrawnChart = PageData['charts'][number];
type Column = (number | null | undefined)[];

interface ShownChart {
  chart: DrawnChart;
  figure: HTMLElement;
  data: uPlotClass.AlignedData;
  isOn: boolean[];
  plot?: uPlotClass;
}

const { charts, curves } = JSON.parse(document.getElementById('page-data')?.textContent ?? 'null') as PageData;
const drawn = new Map<string, ShownChart>();
const printWidthPx = 660;
/** Leaves room above the lines for the names of stages. */
const headroom = 1.16;

/** Formats a value with three significant digits and thousands separators. */
const say = (value: number | null | undefined): string =>
  value?.toLocaleString('en-US', { maximumSignificantDigits: Math.abs(value) >= 1000 ? 6 : 3 }) ?? '–';

/** Formats the percentile at 1 / (1 - share), with one digit more than its nines need. Only the whole is 100 %. */
export const percentileOf = (x: number): string =>
  `${Number((100 * (1 - 1 / x)).toFixed(Math.ceil(Math.log10(x)) + 1))} %`;

function xInWords({ label, scale }: Axis, x: number): string {
  return scale === 'percentile' ? percentileOf(x) : `${label.replace(/^.*, /, '')} ${say(x)}`;
}

/** Returns the columns of points. On a logarithmic axis, zero is a thousandth of a millisecond. */
function columnsOf(points: Points): [number[], Column] {
  if (!('curve' in points)) return [[...points.x], [...points.y]];
  const { ranks, us, count, lastCarried } = curves[points.curve] as Curve;
  const ms = us.map((each) => Math.max(each, 1) / 1000);
  if (points.as === 'cdf') return [ms, ranks.map((rank) => (100 * rank) / count)];
  const carried = ranks.filter((rank) => rank <= lastCarried).length;
  return [ranks.slice(0, carried).map((rank) => count / (count - rank)), ms.slice(0, carried)];
}

function dataOf({ lines }: DrawnChart): uPlotClass.AlignedData {
  const tables = lines.map(({ points }) => columnsOf(points)).map(([x, y]) => sole(x, y));
  return uPlot.join(tables as uPlotClass.AlignedData[]);
}

/** Makes each x unique, as the join needs. Equal ones, as on the steep part of a distribution, move slightly apart. */
function sole(x: number[], y: Column): [number[], Column] {
  for (let i = 1; i < x.length; i++) {
    const before = x[i - 1] as number;
    if ((x[i] as number) <= before) x[i] = before + Math.max(Math.abs(before) * 1e-9, 1e-9);
  }
  return [x, y];
}

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Holds every first digit of every decade. */
const digits = Array.from({ length: 90 }, (_, n) => Number(`${(n % 9) + 1}e${Math.floor(n / 9) - 3}`));
/** Labels the decades. If there are few of them, it also labels 2 and 5. */
const digitLabels = (ticks: readonly number[]): string[] =>
  ticks.map((tick) => ((ticks.length > 18 ? /^1e/ : /^[125]e/).test(tick.toExponential()) ? say(tick) : ''));

const decades = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];
/** Below this width, the labels between the decades would overlap. */
const roomyPx = 600;

function axisOf(axis: Axis, isX: boolean, isSmall: boolean): uPlotClass.Axis {
  const halves = (plot: uPlotClass): number[] => (plot.width < roomyPx ? decades : [1, 2, 4, ...decades.slice(1)]);
  return {
    label: axis.label,
    labelSize: 22,
    labelFont: '12px system-ui, sans-serif',
    font: '12px system-ui, sans-serif',
    size: isX ? 34 : 58,
    gap: 4,
    stroke: color('--ink'),
    grid: { stroke: color('--grid'), width: 1 },
    ticks: { stroke: color('--grid'), width: 1 },
    ...(isSmall && isX ? { space: 60 } : {}),
    ...(axis.scale === 'linear'
      ? { values: (_, at) => at.map((tick) => (tick === null ? '' : say(tick))) }
      : {
          splits: (plot, _axis, least, most) =>
            (axis.scale === 'log' ? digits : halves(plot)).filter((tick) => tick >= least && tick <= most),
          values: (_, at) => (axis.scale === 'log' ? digitLabels(at) : at.map(percentileOf)),
          filter: (_, at) => at,
        }),
  };
}

function scaleOf({ chart, data, isOn }: ShownChart, isX: boolean): uPlotClass.Scale {
  const { scale, range } = isX ? chart.x : chart.y;
  if (range) return { time: false, distr: scale === 'linear' ? 1 : 3, range: () => [range[0], range[1]] };
  if (!isX && scale === 'log') return { distr: 3, range: (_, least, most) => [least / 1.2, most * 1.5] };
  // Linear y axes begin at zero, so that a change of a tenth does not look like a half.
  if (!isX) return { range: (_, _least, most) => [0, most * headroom || 1] };
  if (scale === 'linear') return { time: false, range: (_, _least, most) => linearRange(most) };
  const [least, most] = seen(data, isOn);
  const ends: [number, number] = scale === 'percentile' ? [1, Math.max(2, most)] : [least / 1.1, most * 1.1];
  return { time: false, distr: 3, range: () => ends };
}

/** Returns a range from zero, at least ten wide. */
export const linearRange = (most: number | null): [number, number] => [0, Math.max(10, most ?? 0)];

function seen([x, ...ys]: uPlotClass.AlignedData, isOn: readonly boolean[]): [number, number] {
  const isSeen = (at: number): boolean => ys.some((y, line) => isOn[line] && typeof y[at] === 'number');
  let [first, last] = [0, x.length - 1];
  while (first < last && !isSeen(first)) first++;
  while (last > first && !isSeen(last)) last--;
  return [x[first] ?? 1, x[last] ?? 10];
}

function bandsOf({ bands = [] }: DrawnChart, plot: uPlotClass): { name: string; left: number; right: number }[] {
  const { left: first, width } = plot.bbox;
  return bands.map(({ name, from, to }) => ({
    name,
    left: Math.max(plot.valToPos(from, 'x', true), first),
    right: Math.min(plot.valToPos(to, 'x', true), first + width),
  }));
}

function shade(chart: DrawnChart): (plot: uPlotClass) => void {
  return (plot) => {
    const { ctx, bbox } = plot;
    bandsOf(chart, plot).forEach(({ left, right }, index) => {
      ctx.fillStyle = color(index % 2 === 0 ? '--band' : '--band-other');
      if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
    });
  };
}

function nameBands(chart: DrawnChart): (plot: uPlotClass) => void {
  return (plot) => {
    if (chart.size === 'small') return;
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'top';
    ctx.fillStyle = color('--aside');
    for (const { name, left, right } of bandsOf(chart, plot)) {
      if (ctx.measureText(name).width + 8 <= right - left) ctx.fillText(name, left + 4, bbox.top + 2);
    }
    ctx.restore();
  };
}

function seriesOf({ label, color: hue, dash, look }: Chart['lines'][number], show: boolean): uPlotClass.Series {
  const stroke = color(`--line-${hue}`);
  if (look === 'points') {
    return { label, show, stroke, paths: () => null, points: { show: true, size: 6, stroke, fill: color('--paper') } };
  }
  return { label, show, stroke, width: look === 'thin' ? 1 : 2, dash: [...dash], points: { show: false } };
}

function draw(each: ShownChart, isPrinted = false): void {
  const { chart, figure, isOn } = each;
  const host = figure.querySelector<HTMLElement>('.plot');
  if (!host) return;
  each.plot?.destroy();
  const isSmall = chart.size === 'small';
  const widthPx = isPrinted ? printWidthPx / (isSmall ? 2 : 1) : host.clientWidth;
  each.plot = new uPlot(
    {
      width: Math.max(160, widthPx),
      height: isSmall ? 150 : 280,
      legend: { show: false },
      padding: [12, chart.x.scale === 'percentile' ? 34 : 14, 0, 0],
      cursor: {
        y: false,
        drag: { x: false, y: false },
        hover: { prox: chart.group ? 40 : null },
        ...(chart.group ? { sync: { key: chart.group, scales: ['x', null] } } : {}),
      },
      scales: { x: scaleOf(each, true), y: scaleOf(each, false) },
      axes: [axisOf(chart.x, true, isSmall), axisOf(chart.y, false, isSmall)],
      series: [{}, ...chart.lines.map((line, index) => ({ ...seriesOf(line, isOn[index] === true), spanGaps: false }))],
      hooks: { drawClear: [shade(chart)], draw: [nameBands(chart)], setCursor: [() => tell(each)] },
    },
    each.data,
    host,
  );
}

function tell({ chart, figure, plot, data }: ShownChart): void {
  const { idx, idxs } = plot?.cursor ?? {};
  const x = typeof idx === 'number' ? data[0][idx] : undefined;
  chart.lines.forEach((_line, index) => {
    const at = x === undefined ? undefined : idxs?.[index + 1];
    const said = at === undefined || at === null ? '' : say(data[index + 1]?.[at]);
    figure.querySelector(`[data-value="${index}"]`)?.replaceChildren(said);
  });
  const words = x === undefined ? '' : xInWords(chart.x, x);
  figure.querySelector('.at')?.replaceChildren(words);
  const slider = figure.querySelector<HTMLInputElement>('.cursor');
  if (!slider || typeof idx !== 'number') return;
  slider.value = String(idx);
  const said = [...figure.querySelectorAll('.legend .entry')].map((entry) => entry.textContent?.trim());
  slider.setAttribute('aria-valuetext', [words, ...said].join('; '));
}

/** Moves the cursor. The types of uPlot lack the parameter that publishes it to the group. */
function moveCursor(plot: uPlotClass, left: number, isShared: boolean): void {
  const set = plot.setCursor as (at: { left: number; top: number }, fire: boolean, publish: boolean) => void;
  set({ left, top: plot.height / 3 }, true, isShared);
}

function addSlider(each: ShownChart): void {
  const slider = document.createElement('input');
  const max = String(Math.max(0, each.data[0].length - 1));
  Object.assign(slider, { type: 'range', className: 'cursor', min: '0', max, value: '0' });
  slider.setAttribute('aria-label', `Cursor of the chart ${each.chart.title}`);
  slider.addEventListener('input', () => {
    const { plot, data } = each;
    const x = data[0][Number(slider.value)];
    if (plot && x !== undefined) moveCursor(plot, plot.valToPos(x, 'x'), each.chart.group !== undefined);
  });
  each.figure.querySelector('.plot')?.after(slider);
}

function addLegend(each: ShownChart): void {
  each.figure.querySelectorAll<HTMLButtonElement>('.legend button').forEach((button, index) => {
    button.disabled = false;
    button.addEventListener('click', () => {
      const isOn = !each.isOn[index];
      each.isOn[index] = isOn;
      button.setAttribute('aria-pressed', String(isOn));
      draw(each);
    });
  });
}

function start(chart: DrawnChart): void {
  const figure = document.getElementById(chart.id);
  if (!figure) return;
  const isOn = chart.lines.map(() => true);
  const each: ShownChart = { chart, figure, data: dataOf(chart), isOn };
  drawn.set(chart.id, each);
  addLegend(each);
  addSlider(each);
  draw(each);
  figure.dataset.drawn = 'true';
  const host = figure.querySelector('.plot');
  // The first call reports the drawn width. Later calls report a resize or an opened section.
  let widthPx = host?.clientWidth;
  const observer = new ResizeObserver(() => {
    if (host?.clientWidth === widthPx || document.documentElement.dataset.print) return;
    widthPx = host?.clientWidth;
    draw(each);
  });
  if (host) observer.observe(host);
}

function again(isPrinted = false): void {
  for (const each of drawn.values()) draw(each, isPrinted);
}

for (const chart of charts) start(chart);

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => again());
addEventListener('beforeprint', () => {
  document.documentElement.dataset.print = 'true';
  again(true);
});
addEventListener('afterprint', () => {
  delete document.documentElement.dataset.print;
  again();
});
