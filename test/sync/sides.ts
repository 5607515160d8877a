/** The two sides of a synchronisation, as actors that make the same changes: one in the folder, one in the space. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Session } from '@recto/cli/folder-sync/compare.ts'
import { parseName } from '@recto/cli/folder-sync/names.ts'
import { resolveConflict } from '@recto/cli/folder-sync/resolve.ts'
import { createState } from '@recto/cli/folder-sync/state.ts'
import { isInSync, readStatus } from '@recto/cli/folder-sync/status.ts'
import { synchronise } from '@recto/cli/folder-sync/synchronise.ts'
import { type Client, createClient } from '@recto/client/client.ts'
import pg, { type ClientConfig } from 'pg'
import { until } from '../support/embedded.ts'
import type { Service } from '../support/service.ts'

export type MetadataPlace = 'file' | 'front-matter'

/** Pages, and files with names that end in `.png`. */
export interface Actor {
  create(path: string, text: string): Promise<void>
  /** Replaces a part of the text. */
  edit(path: string, part: string, by: string): Promise<void>
  move(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  setMetadata(path: string, metadata: { readonly key: number }): Promise<void>
}

export interface Sides extends Disposable {
  readonly session: Session
  readonly folder: Actor
  readonly space: Actor
}

let spaces = 0
let isFeedHeld = false

/** Does the work while a transaction is open in the database of the service, so that the feed tells nothing of it. */
export async function whileFeedIsHeld(connection: ClientConfig, work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({ ...connection, ssl: false })
  await holder.connect()
  isFeedHeld = true
  try {
    await holder.query('begin')
    await holder.query('select pg_current_xact_id()')
    await work()
  } finally {
    isFeedHeld = false
    await holder.end()
  }
}

/** A space with two pages and a file, and its clone. */
export async function clonedSides({ admin }: Service, metadata: MetadataPlace): Promise<Sides> {
  const client = createClient({ url: admin.base, key: admin.key })
  const name = `sides-${spaces++}`
  const { createdAt } = await client.spaces.create(name)
  const space = spaceActor(client, name)
  for (const path of ['a', 'b']) {
    await client.pages.create(name, path, { body: `${path}\ntwo\nthree\n`, metadata: { key: 1 } })
  }
  await space.create('x.png', 'x')
  const root = join(mkdtempSync(join(tmpdir(), 'recto-test-')), 'folder')
  mkdirSync(root)
  const config = { url: '', space: name, createdAt, metadata } as const
  createState(root, config)
  const session = { root, config, client }
  await synchronise(session, { direction: 'sync' })
  return {
    session,
    space,
    folder: folderActor(root, metadata),
    [Symbol.dispose]: () => rmSync(dirname(root), { recursive: true, force: true }),
  }
}

const isFile = (path: string) => path.endsWith('.png')

function spaceActor(client: Client, space: string): Actor {
  const last = { ifMatch: '*' } as const
  const apiOf = (path: string) => (isFile(path) ? client.files : client.pages)
  return toldByFeed(client, space, {
    async create(path, text) {
      await apiOf(path).put(space, path, Buffer.from(text), { createOnly: true })
    },
    async edit(path, part, by) {
      const text = isFile(path)
        ? await new Response(await client.files.read(space, path)).text()
        : (await client.pages.getMarkdown(space, path)).body
      await apiOf(path).put(space, path, Buffer.from(text.replace(part, by)), last)
    },
    async move(from, to) {
      await apiOf(from).move(space, from, { to: { path: to }, rewriteLinks: false })
    },
    remove: async (path) => {
      await apiOf(path).delete(space, path)
    },
    async setMetadata(path, set) {
      await client.metadata.patch(space, path, { set })
    },
  })
}

/**
 * The actor, whose changes end once the feed tells them. It waits for each older transaction of the database, and for a
 * moment for those of other databases of the server: until then a run does not know of the change.
 */
function toldByFeed(client: Client, space: string, actor: Actor): Actor {
  const wait =
    <Args extends readonly unknown[]>(change: (...args: Args) => Promise<void>) =>
    async (...args: Args) => {
      if (isFeedHeld) return change(...args)
      const { nextCursor: since } = await client.changes.list({ since: 'now', space }).page()
      const begin = new Date().toISOString()
      await change(...args)
      await until(async () => {
        const events = await client.changes.list({ since, space }).toArray()
        return events.some(({ occurredAt }) => occurredAt >= begin)
      }, 60_000)
    }
  return {
    create: wait(actor.create),
    edit: wait(actor.edit),
    move: wait(actor.move),
    remove: wait(actor.remove),
    setMetadata: wait(actor.setMetadata),
  }
}

function folderActor(root: string, metadata: MetadataPlace): Actor {
  const at = (path: string) => join(root, isFile(path) ? path : `${path}.md`)
  const replace = (file: string, part: string, by: string) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(part, by))
  return {
    create: async (path, text) => writeFileSync(at(path), text),
    edit: async (path, part, by) => replace(at(path), part, by),
    async move(from, to) {
      mkdirSync(dirname(at(to)), { recursive: true })
      renameSync(at(from), at(to))
    },
    remove: async (path) => rmSync(at(path)),
    async setMetadata(path, value) {
      if (metadata === 'front-matter') return replace(at(path), 'key: 1', `key: ${value.key}`)
      const file = join(root, '.recto/metadata.json')
      const all = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, JSON.stringify({ ...all, [path]: value }))
    },
  }
}

/** Runs until both sides are equal; conflicts are resolved with both texts. */
export async function settle(session: Session): Promise<void> {
  await until(async () => {
    const { problems } = await synchronise(session, { direction: 'sync' })
    if (problems.size > 0) throw new Error(JSON.stringify([...problems]))
    const status = await readStatus(session, true)
    for (const name of status.conflicts) resolveConflict(session.root, name, 'both')
    return isInSync(status)
  }, 60_000)
}

/** The texts of the folder by name. */
export function textsOf(root: string): Readonly<Record<string, string>> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
  const names = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !name.startsWith('.recto/'))
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]))
}

/** What the space has: versions show whether something was written twice. */
export async function contentsOf({ client, config: { space } }: Session) {
  const found = await client.metadata.search({ space, includeMetadata: true }).toArray()
  const files = await client.files.list(space).toArray()
  const trash = [...(await client.pages.trash(space).toArray()), ...(await client.files.trash(space).toArray())]
  return {
    pages: Object.fromEntries(found.map(({ path, version, metadata }) => [path, { version, metadata }])),
    files: Object.fromEntries(files.map(({ path, version, digest }) => [path, { version, digest }])),
    trash: trash.map(({ path }) => path).sort(),
  }
}

/** Whether the space has the texts of the folder, and no others. */
export async function isEqualInSpace(session: Session): Promise<boolean> {
  const { client, root, config } = session
  const { space } = config
  const texts = Object.entries(textsOf(root))
  const { pages, files } = await contentsOf(session)
  if (texts.length !== Object.keys(pages).length + Object.keys(files).length) return false
  for (const [name, text] of texts) {
    const { kind, path } = parseName(name)
    const there =
      kind === 'file'
        ? await new Response(await client.files.read(space, path)).text()
        : (await client.pages.getMarkdown(space, path)).body
    if (!text.endsWith(there)) return false
  }
  return true
}
