import { findMaximum, findMinimum } from '@recto/lib/extremes.ts'
import { compareNaturally } from '@recto/lib/text/text-order.ts'
import type { Neighbourhood } from '../../../content/links/schema.ts'

type Node = Neighbourhood['nodes'][number]

/** A node with the place of its box; `x` and `y` are its left upper corner. */
export interface PlacedNode {
  readonly node: Node
  readonly label: string
  readonly x: number
  readonly y: number
}

export const BOX = { width: 190, height: 30 } as const
const GAP = { x: 90, y: 12 } as const
const MARGIN = 12
const LABEL = 24
/** The height that is visible without scrolling; short columns are centred in it. */
const VISIBLE_HEIGHT = toHeight(12)

/**
 * A layered graph layout (after Sugiyama): the page in the middle, backlinks on its left, links on its right, further
 * layers outwards by distance. Within a layer, nodes are ordered by the barycentre of their neighbours.
 */
export function layoutGraph({ nodes, edges }: Pick<Neighbourhood, 'nodes' | 'edges'>) {
  const columns = placeColumns(nodes, edges)
  const rows = ordered(nodes, edges, columns)
  const least = findMinimum(columns)
  const height = toHeight(findMaximum([...rows.values()].map(({ length }) => length)))
  const places = new Map<number, { x: number; y: number }>()
  for (const [column, indexes] of rows) {
    const top = Math.max(0, (Math.min(height, VISIBLE_HEIGHT) - toHeight(indexes.length)) / 2)
    for (const [row, index] of indexes.entries()) {
      places.set(index, {
        x: MARGIN + (column - least) * (BOX.width + GAP.x),
        y: MARGIN + top + row * (BOX.height + GAP.y),
      })
    }
  }
  const order = [...rows].sort(([a], [b]) => a - b).flatMap(([, indexes]) => indexes)
  return {
    width: 2 * MARGIN + (findMaximum(columns) - least) * (BOX.width + GAP.x) + BOX.width,
    height: 2 * MARGIN + height,
    /** By column, then from top to bottom: the tab order. */
    nodes: order.flatMap((index) => {
      const [node, place] = [nodes[index], places.get(index)]
      return node && place ? [{ node, label: toLabel(node), ...place }] : []
    }),
    /** A curve from one box to another, as the path of an SVG. */
    edges: edges
      .filter(({ from, to }) => from !== to)
      .flatMap(({ from, to }) => {
        const [a, b] = [places.get(from), places.get(to)]
        return a && b ? [{ from, to, path: curve(a, b) }] : []
      }),
  }
}

function toHeight(rows: number): number {
  return rows * (BOX.height + GAP.y) - GAP.y
}

/** The column of each node: 0 for the page itself, negative for pages that link to it. */
function placeColumns(nodes: readonly Node[], edges: Neighbourhood['edges']): number[] {
  const sides = nodes.map(() => 1)
  for (const [index, { distance }] of nodes.entries()) {
    const nearer = (other: number) => (nodes[other]?.distance ?? 0) === distance - 1
    if (distance === 1) sides[index] = edges.some(({ from, to }) => from === index && nearer(to)) ? -1 : 1
    if (distance < 2) continue
    const edge = edges.find(({ from, to }) => (from === index && nearer(to)) || (to === index && nearer(from)))
    if (edge) sides[index] = sides[edge.from === index ? edge.to : edge.from] ?? 1
  }
  return nodes.map(({ distance }, index) => distance * (sides[index] ?? 1))
}

/** The nodes of each column from top to bottom, by the barycentre of their neighbours in the inner columns. */
function ordered(
  nodes: readonly Node[],
  edges: Neighbourhood['edges'],
  columns: readonly number[],
): Map<number, number[]> {
  const rows = new Map<number, number[]>()
  for (const [index, column] of columns.entries()) rows.set(column, [...(rows.get(column) ?? []), index])
  const place = new Map<number, number>([[0, 0]])
  for (const column of [...rows.keys()].sort((a, b) => Math.abs(a) - Math.abs(b))) {
    const indexes = rows.get(column) ?? []
    const weights = new Map(indexes.map((index) => [index, computeWeight(index, edges, place)]))
    const name = (index: number) => nodes[index]?.title ?? nodes[index]?.path ?? ''
    indexes.sort((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0) || compareNaturally(name(a), name(b)))
    for (const [row, index] of indexes.entries()) place.set(index, row - indexes.length / 2)
  }
  return rows
}

function computeWeight(index: number, edges: Neighbourhood['edges'], place: ReadonlyMap<number, number>): number {
  const neighbours = edges.flatMap(({ from, to }) => {
    const at = from === index ? place.get(to) : to === index ? place.get(from) : undefined
    return at === undefined ? [] : [at]
  })
  return neighbours.length === 0 ? 0 : neighbours.reduce((sum, at) => sum + at, 0) / neighbours.length
}

interface Point {
  readonly x: number
  readonly y: number
}

function curve(a: Point, b: Point): string {
  const [ay, by] = [a.y + BOX.height / 2, b.y + BOX.height / 2]
  // Within a column the curve starts and ends on the right.
  if (a.x === b.x) {
    const right = a.x + BOX.width
    return `M${right} ${ay}C${right + 40} ${ay} ${right + 40} ${by} ${right} ${by}`
  }
  const [from, to] = a.x < b.x ? [a.x + BOX.width, b.x] : [a.x, b.x + BOX.width]
  const middle = (from + to) / 2
  return `M${from} ${ay}C${middle} ${ay} ${middle} ${by} ${to} ${by}`
}

function toLabel(node: Node | undefined): string {
  const text = node?.title ?? node?.path ?? ''
  return [...text].length <= LABEL ? text : `${[...text].slice(0, LABEL - 1).join('')}…`
}
