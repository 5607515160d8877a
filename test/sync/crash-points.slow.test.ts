/**
 * Changes of every kind on both sides, and a run that stops after one of its steps, each in turn: the next run ends with the same folder and the
 * same space as a run that did not stop, versions and trash included. RECTO_CRASH_EVERY=1 for all steps.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '../../src/client/client.ts'
import type { Session } from '../../src/sync/compare.ts'
import { createState } from '../../src/sync/state.ts'
import { isInSync, readStatus } from '../../src/sync/status.ts'
import { synchronise } from '../../src/sync/synchronise.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'

/** Where the space makes its changes, and where the folder does. */
const SIDES = ['space', 'folder'] as const
const PAGES = ['edited', 'moved', 'deleted', 'metadata', 'both']
const FILES = ['edited.png', 'moved.png', 'deleted.png']

/** Folders at the same time. */
const CONCURRENCY = 6
/** One step in so many. */
const EVERY = Number(process.env.RECTO_CRASH_EVERY ?? 3)

let service: Service
let client: Client
let spaces = 0
before(async () => {
  service = await startService()
  client = createClient({ url: service.admin.base, key: service.admin.key })
})
after(() => service[Symbol.asyncDispose]())

class Crash extends Error {
  override readonly name = 'Crash'
}

type Metadata = 'file' | 'front-matter'

async function cloned(metadata: Metadata) {
  const space = `crash-${spaces++}`
  const { createdAt } = await client.spaces.create(space)
  const places = (names: readonly string[]) => SIDES.flatMap((side) => names.map((name) => ({ side, name })))
  await client.pages.batch(
    places(PAGES).map(({ side, name }) => {
      const body = `${side} ${name}\ntwo\nthree\n`
      return { op: 'put', space, path: `${side}/${name}`, body, metadata: { a: 1 }, ifNoneMatch: '*' }
    }),
  )
  for (const { side, name } of places(FILES)) {
    await client.files.put(space, `${side}/${name}`, Buffer.from(`${side} ${name}`), { createOnly: true })
  }
  const root = join(mkdtempSync(join(tmpdir(), 'recto-test-')), 'folder')
  mkdirSync(root)
  const config = { url: '', space, createdAt, metadata } as const
  createState(root, config)
  const session: Session = { root, config, client }
  await synchronise(session, { direction: 'sync' })
  return session
}

async function changeSpace({ config: { space } }: Session): Promise<void> {
  const { pages, files } = client
  const last = { ifMatch: '*' } as const
  for (const side of SIDES) {
    await pages.put(space, `${side}/both`, `${side} both\ntwo\nthree, by the space\n`, last)
  }
  await pages.put(space, 'space/edited', 'edited in the space\n', last)
  await pages.move(space, 'space/moved', { to: { path: 'space/there/moved' }, rewriteLinks: false })
  await pages.delete(space, 'space/deleted')
  await client.metadata.patch(space, 'space/metadata', { set: { a: 2 } })
  await pages.create(space, 'space/new', { body: 'new in the space\n', metadata: { b: 1 } })
  await files.put(space, 'space/edited.png', Buffer.from('edited in the space'), last)
  await files.move(space, 'space/moved.png', { to: { path: 'space/there/moved.png' }, rewriteLinks: false })
  await files.delete(space, 'space/deleted.png')
  await files.put(space, 'space/new.png', Buffer.from('new in the space'), { createOnly: true })
}

function changeFolder({ root, config }: Session): void {
  const at = (name: string) => join(root, name)
  const replace = (name: string, from: string, to: string) =>
    writeFileSync(at(name), readFileSync(at(name), 'utf8').replace(from, to))
  for (const side of SIDES) replace(`${side}/both.md`, `${side} both\n`, `${side} both, by the folder\n`)
  replace('folder/edited.md', 'folder edited', 'edited in the folder')
  mkdirSync(at('folder/there'))
  renameSync(at('folder/moved.md'), at('folder/there/moved.md'))
  rmSync(at('folder/deleted.md'))
  if (config.metadata === 'front-matter') replace('folder/metadata.md', 'a: 1', 'a: 2')
  else {
    const file = at('.recto/metadata.json')
    const all = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...all, 'folder/metadata': { a: 2 } }))
  }
  writeFileSync(at('folder/new.md'), 'new in the folder\n')
  writeFileSync(at('folder/edited.png'), 'edited in the folder')
  renameSync(at('folder/moved.png'), at('folder/there/moved.png'))
  rmSync(at('folder/deleted.png'))
  writeFileSync(at('folder/new.png'), 'new in the folder')
}

/** Whether the run ended before it had made so many steps. */
async function runUntil(session: Session, stopAfter: number): Promise<boolean> {
  let steps = 0
  const step = () => {
    if (steps++ === stopAfter) throw new Crash(`after step ${stopAfter}`)
  }
  try {
    await synchronise({ ...session, step }, { direction: 'sync' })
    return true
  } catch (error) {
    if (!(error instanceof Crash)) throw error
    return false
  }
}

/** Runs until both sides are equal, and returns them. */
async function finish(session: Session) {
  const { root, config } = session
  const notes: string[] = []
  await until(async () => {
    const report = await synchronise(session, { direction: 'sync' })
    assert.deepEqual([...report.conflicts, ...report.problems.keys()], [])
    for (const note of report.notes) notes.push(note)
    return isInSync(await readStatus(session, true))
  }, 60_000)
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = names
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((name) => !name.includes('.recto/'))
  const { space } = config
  const versions = [
    ...(await client.pages.list(space).toArray()),
    ...(await client.files.list(space).toArray()),
  ].map(({ path, version }) => `${path} ${version}`)
  const found = await client.metadata.search({ space, includeMetadata: true }).toArray()
  const trash = await client.pages.trash(space).toArray()
  return {
    notes,
    folder: Object.fromEntries(
      files.sort().map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]),
    ),
    metadata: Object.fromEntries(found.map(({ path, metadata }) => [path, metadata])),
    versions: versions.sort(),
    trash: trash.map(({ path }) => path).sort(),
  }
}

async function stopped(metadata: Metadata, stopAfter: number) {
  const session = await cloned(metadata)
  try {
    changeFolder(session)
    await changeSpace(session)
    const ended = await runUntil(session, stopAfter)
    return { ended, ...(await finish(session)) }
  } finally {
    rmSync(dirname(session.root), { recursive: true, force: true })
  }
}

for (const metadata of ['file', 'front-matter'] as const) {
  test(`wherever a run stops, the next one has the same result, with metadata in ${metadata}`, async () => {
    const { ended, ...expected } = await stopped(metadata, Number.POSITIVE_INFINITY)
    assert.equal(ended, true)
    assert.deepEqual(expected.notes, [])
    for (let first = 0, isLast = false; !isLast; first += CONCURRENCY * EVERY) {
      const points = Array.from({ length: CONCURRENCY }, (_, index) => first + index * EVERY)
      const ends = await Promise.all(points.map((stopAfter) => stopped(metadata, stopAfter)))
      for (const [index, { ended, ...found }] of ends.entries()) {
        assert.deepEqual(found, expected, `stopped after step ${points[index]}`)
        isLast ||= ended
      }
    }
  })
}
