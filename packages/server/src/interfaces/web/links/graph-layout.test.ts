import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../../test/support/property.ts'
import { BOX, layoutGraph } from './graph-layout.ts'

const node = (title: string, distance: number) => ({ space: 's', path: title, title, exists: true, distance })

test('backlinks are on the left, links on the right', () => {
  const graph = {
    nodes: [node('middle', 0), node('source', 1), node('target', 1), node('further', 2)],
    edges: [
      { from: 1, to: 0, via: null },
      { from: 0, to: 2, via: null },
      { from: 3, to: 1, via: null },
    ],
  }
  const { nodes, edges } = layoutGraph(graph)
  assert.deepEqual(
    nodes.map(({ label }) => label),
    ['further', 'source', 'middle', 'target'],
  )
  assert.equal(edges.length, 3)
})

test('in any graph every node is placed within it, and boxes do not overlap', () => {
  const graph = fc
    .nat(40)
    .chain((count) =>
      fc.record({
        distances: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: count, maxLength: count }),
        edges: fc.array(fc.record({ from: fc.nat(count), to: fc.nat(count), via: fc.constant(null) })),
      }),
    )
  fc.assert(
    fc.property(graph, ({ distances, edges }) => {
      const nodes = [node('0', 0), ...distances.sort().map((distance, index) => node(`n${index}`, distance))]
      const { nodes: placed, width, height } = layoutGraph({ nodes, edges })
      assert.equal(placed.length, nodes.length)
      for (const [index, a] of placed.entries()) {
        assert.ok(a.x >= 0 && a.y >= 0 && a.x + BOX.width <= width && a.y + BOX.height <= height)
        for (const b of placed.slice(index + 1))
          assert.ok(Math.abs(a.x - b.x) >= BOX.width || Math.abs(a.y - b.y) >= BOX.height)
      }
    }),
  )
})
