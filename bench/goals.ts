import type { Result } from './results.ts'

/** A row of the table of goals. */
export interface Goal {
  readonly what: string
  /** The results that must meet it: the row shows the worst of them. */
  readonly of: RegExp
  readonly goal: number
  /** Whether larger figures are better, as for rates and shares of a yardstick. */
  readonly larger: boolean
  readonly unit: string
  /** The results of the least possible work; by default `floor, ` and the name of the result. */
  readonly floor: RegExp | undefined
  /** Names the floor of a result that is compared with its own: the figure is the share of it. */
  readonly toFloor?: (name: string) => string
}

type Row = readonly [what: string, of: RegExp, goal: number, unit?: string, floor?: RegExp]

const atLeast = (...[what, of, goal, unit = '', floor]: Row): Goal => ({ what, of, goal, larger: true, unit, floor })
const atMost = (...[what, of, goal, unit = ' ms', floor]: Row): Goal => ({ what, of, goal, larger: false, unit, floor })

/** The share of a floor: of its rate at least, or of its time at most. */
const share = (what: string, of: RegExp, goal: number, toFloor: (name: string) => string): Goal => ({
  ...(goal > 1 ? atMost(what, of, goal, ' times') : atLeast(what, of, goal)),
  toFloor,
})

export const GOALS: readonly Goal[] = [
  atLeast('reads of 1 page: share of the floor', /^read: [^,]+, 1 page$/, 0.9),
  atLeast('reads of 1,000 pages by Zipf: share of the floor', /^read: [^,]+, 1000 pages$/, 0.8),
  atLeast('reads of 100,000 pages: share of the floor', /^read: [^,]+, 100000 pages, warm$/, 0.7),
  atLeast('public pages without a key: share of the rate with one', /^read: visitor/, 1),
  atLeast('reading with 1,000 folder rules: share of the rate without', /^rules: page/, 0.97),
  atLeast('lists, searches, queries with folder rules: the same', /^rules: (?!page)/, 0.9),
  share('PUT of 6 kB and 1 kB, 1 to 64 writers: share of the floor', /^write: PUT of/, 0.5, (name) =>
    name.replace('PUT', 'floor'),
  ),
  share(
    'metadata patch: share of the floor',
    /^metadata-patch: patch/,
    0.3,
    () => 'metadata-patch: floor, one statement',
  ),
  share('deliveries to 1 and 50 receivers: share of the floor', /^webhooks: deliveries/, 0.4, (name) =>
    name.replace('deliveries to', 'floor of'),
  ),
  atMost('write with a subscriber', /^webhooks: a write/, 1.25, ''),
  share('first start: times the floor', /^start: first/, 1.7, (name) => name.replace(': ', ': floor, ')),
  share('later start: times the floor', /^start: later/, 8, (name) => name.replace(': ', ': floor, ')),
  atMost('first view on a slow line: times a bare answer', /^first-view: page/, 2.5, ''),
  atMost('idle memory', /^start: idle/, 117, ' MB'),
  atMost('memory beside 300 streams', /^streams: memory/, 160, ' MB'),
  atMost('memory after an hour of mixed load: last quarter to second', /^soak: memory/, 1.1, ''),
  atMost('metadata query at a million pages, p99', /^metadata: (?!floor).* p99$/, 50),
  atMost('links of a page, p99', /^links: links of a page p99$/, 10),
  atMost(
    'backlinks of a hub, p99',
    /^links: backlinks of the hub.* p99$/,
    10,
    ' ms',
    /^links: floor, backlinks.* p99$/,
  ),
  atMost('broken report, p99', /^links: broken report.* p99$/, 25, ' ms', /^links: floor, broken.* p99$/),
  atMost('search, a rare word, p95', /^search: a rare word.* p95$/, 20),
  atMost('search, two common words, p95', /^search: two common words \(.* p95$/, 100),
  atMost('search, two common words in one space of 100, p95', /^search: the same in one space p95$/, 100),
  atMost('suggestions, p95', /^suggest: \/search\/suggest.* p95$/, 30),
  atLeast('import over HTTP', /^import: over HTTP/, 1_500, '/s', /^import: floor/),
  atLeast('import from a folder', /^import: from a folder/, 1_500, '/s', /^import: floor/),
  atMost('memory of Node during the import', /^import: memory/, 300, ' MB'),
  atLeast('rebuild from nothing', /^rebuild: pages/, 2_000, '/s'),
  atMost('writers during a rebuild, longest', /^rebuild: longest write/, 100),
  atMost('move of 10,000 pages with 50,000 links', /^lifecycle: move/, 20, ' s'),
  atMost(
    'reads of others during a move, longest',
    /^lifecycle: longest read/,
    100,
    ' ms',
    /^lifecycle: floor, longest/,
  ),
  atMost('requests of others beside pathological Markdown, longest', /^pathological: longest/, 50),
]

/** The lines of a Markdown table: what was measured, its goal, and whether it was met. */
export function tableOf(goals: readonly Goal[], results: readonly (Result & { load: string })[]): string[] {
  return [
    '| what | goal | measured | spread | floor | load | met |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...goals.flatMap((goal) => rowOf(goal, results)),
  ]
}

type Loaded = Result & { readonly load: string }

function rowOf(row: Goal, results: readonly Loaded[]): string[] {
  const found = worstFirst(row, row.of, toShares(row, results))
  const [worst] = found
  if (worst === undefined) return []
  const { what, goal, larger, unit } = row
  const [floor] = row.toFloor
    ? []
    : row.floor === undefined
      ? results.filter(({ name }) => name === worst.name.replace(': ', ': floor, '))
      : worstFirst(row, row.floor, results)
  const missed = found.filter(({ value }) => (larger ? value < goal : value > goal)).length
  const met = missed === 0 ? 'yes' : found.length === 1 ? 'no' : `${found.length - missed} of ${found.length}`
  const which = found.length > 1 ? ` (${worst.name.replace(/^\S+ /, '')})` : ''
  const cells = [
    what,
    `${larger ? '' : '≤ '}${shown(goal)}${unit}`,
    `${shown(worst.value)}${unit}${which}`,
    worst.spread,
    floor ? `${shown(floor.value)}${unit} (${floor.spread})` : '',
    worst.load,
    met,
  ]
  return [`| ${cells.join(' | ')} |`]
}

/** The figures as shares of their floors, where the goal is one. */
function toShares({ of, toFloor }: Goal, results: readonly Loaded[]): readonly Loaded[] {
  if (!toFloor) return results
  return results.flatMap((result) => {
    const floor = of.test(result.name) && results.find(({ name }) => name === toFloor(result.name))
    return floor ? [{ ...result, value: result.value / floor.value, spread: `of ${shown(floor.value)}` }] : []
  })
}

function worstFirst({ larger }: Goal, names: RegExp, results: readonly Loaded[]): readonly Loaded[] {
  return results.filter(({ name }) => names.test(name)).sort((a, b) => (larger ? a.value - b.value : b.value - a.value))
}

function shown(value: number): string {
  return value >= 100 ? value.toLocaleString('en', { maximumFractionDigits: 0 }) : `${Number(value.toFixed(2))}`
}
