import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packBody } from '@recto/lib/encoding/body-codec.ts'
import { diffLists } from '@recto/lib/text/diff.ts'
import { splitLines } from '@recto/lib/text/split-lines.ts'
import { fc } from '../../../../../../test/support/property.ts'
import { type Fold, foldBlame, type PackedRevision } from './fold.ts'

/** Stored as the service does: each third in full, the others as deltas to it. The newest one first. */
async function pack(bodies: readonly string[]): Promise<PackedRevision[]> {
  const revisions: PackedRevision[] = []
  let [keyframe, base] = [Buffer.alloc(0), 0]
  for (const [index, text] of bodies.entries()) {
    const body = Buffer.from(text)
    const version = index + 1
    if (index % 3 === 0) [keyframe, base] = [body, version]
    const isFull = base === version
    const data = await packBody(body, isFull ? undefined : keyframe)
    revisions.unshift({ version, base: isFull ? null : base, data, size: body.length })
  }
  return revisions
}

/** The version of each line by the differences of whole texts, from the oldest to the newest. */
function blameWhole(bodies: readonly string[]): number[] {
  let before: string[] = []
  let versions: number[] = []
  for (const [index, body] of bodies.entries()) {
    const lines = splitLines(body)
    const next = lines.map(() => index + 1)
    for (const { same, a, b } of diffLists(before, lines)) {
      if (same) for (let at = 0; at < b[1] - b[0]; at++) next[b[0] + at] = versions[a[0] + at] ?? 0
    }
    ;[before, versions] = [lines, next]
  }
  return versions
}

/** The versions of the lines; those that were not compared are of the oldest. */
const toVersions = ({ versions, oldest }: Fold) => Array.from(versions, (version) => version || oldest)

const fold = async (bodies: readonly string[], part = bodies.length) => {
  const revisions = await pack(bodies)
  const job = { kind: 'blame', body: '', maxMs: 60_000 } as const
  return foldBlame({ ...job, revisions: revisions.slice(0, part), keyframes: revisions.slice(part) })
}

const line = fc.constantFrom('a', 'b', 'c', 'é', '', 'a longer line', '\r')
const body = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, isEnded]) => {
  const text = lines.join('\n')
  return isEnded && text !== '' ? `${text}\n` : text
})

test('each line has the version that changed it last, as by the differences of whole texts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 8 }), async (bodies) => {
      assert.deepEqual(toVersions(await fold(bodies)), blameWhole(bodies))
    }),
  )
})

test('edits of long bodies give the same, and a part of the history continues from another', async () => {
  const change = fc.record({ at: fc.nat(400), remove: fc.nat(4), add: fc.array(line, { maxLength: 4 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 3 }), { minLength: 1, maxLength: 12 }), async (edits) => {
      const lines = Array.from({ length: 400 }, (_, index) => `line ${index} with the words of a page, and some more`)
      const bodies = [`${lines.join('\n')}\n`]
      for (const changes of edits) {
        for (const { at, remove, add } of changes) lines.splice(Math.min(at, lines.length), remove, ...add)
        bodies.push(lines.join('\n'))
      }
      const versions = blameWhole(bodies)
      assert.deepEqual(toVersions(await fold(bodies)), versions)
      const part = Math.ceil(bodies.length / 2)
      const partOfFold = await fold(bodies, part)
      const older = blameWhole(bodies.slice(0, partOfFold.oldest))
      const continued = Array.from(
        partOfFold.versions,
        (version, index) => version || older[partOfFold.places[index] ?? 0],
      )
      assert.deepEqual(continued, versions)
    }),
  )
})
