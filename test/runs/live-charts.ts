export type Column = readonly (number | null)[];

export interface LiveChart {
  id: string;
  lines: { points: { x: number[]; y: Column } }[];
}

/** The charts of a page of a run that goes on. */
export function chartsIn(page: string): LiveChart[] {
  const [, data = ''] = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(page) ?? [];
  return (JSON.parse(data) as { charts: LiveChart[] }).charts;
}
