/**
 * Two actors, one in the folder and one in the space, and runs that stop anywhere. Every line and every file of bytes
 * has a token of its own.
 */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Session } from '@recto/cli/folder-sync/compare.ts'
import { isConflictCopy, parseName } from '@recto/cli/folder-sync/names.ts'
import { resolveConflict } from '@recto/cli/folder-sync/resolve.ts'
import { createState } from '@recto/cli/folder-sync/state.ts'
import { isInSync, readStatus } from '@recto/cli/folder-sync/status.ts'
import { synchronise } from '@recto/cli/folder-sync/synchronise.ts'
import { type Client, createClient } from '@recto/client/client.ts'
import { ApiError, ConnectionError, ServiceError } from '@recto/client/transport/errors.ts'
import { until } from '../support/embedded.ts'
import { fc } from '../support/property.ts'
import type { Service } from '../support/service.ts'
import { type Disturbance, disturbedClient } from './disturbed-client.ts'

const PLACES = ['a', 'b', 'a/c', 'img/one.png', 'A', 'd:e', 'f.', 'img/two.png'] as const
/** How many of them there are on both sides at the start. */
const PLACES_AT_START = 4
const number = fc.nat({ max: 63 })

const edit = fc.record({
  side: fc.constantFrom('folder' as const, 'space' as const),
  does: fc.constantFrom(
    'insert' as const,
    'insert' as const,
    'insert' as const,
    'replace' as const,
    'create' as const,
    'move' as const,
    'delete' as const,
    'metadata' as const,
  ),
  one: number,
  two: number,
})

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  what: fc.constantFrom('edit the space', 'edit the space', 'service ends before', 'service ends after'),
  at: fc.nat({ max: 8 }),
})

const run = fc.record({
  direction: fc.constantFrom('pull' as const, 'push' as const, 'sync' as const, 'sync' as const),
  /** The number of steps after which it stops. */
  stopAfter: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat({ max: 1 }), fc.nat({ max: 6 })),
  disturbance: fc.option(disturbance, { nil: undefined, freq: 2 }),
})

/** What both sides do, and then a run. */
export const step = fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 3, size: 'max' }), run })
type ModelStep = typeof step extends fc.Arbitrary<infer T> ? T : never
type Edit = ModelStep['edits'][number]
type Run = ModelStep['run']

class Crash extends Error {
  override readonly name = 'Crash'
}

const UNDISTURBED = { direction: 'sync', stopAfter: Number.POSITIVE_INFINITY, disturbance: undefined } as const

export class SyncModel implements Disposable {
  readonly #service: Service
  readonly #root: string
  readonly #space: string
  readonly #client: Client
  readonly #frontMatter: boolean
  readonly log: string[] = []
  /** The tokens that nobody has replaced or deleted. */
  readonly #kept = new Set<string>()
  #tokens = 0
  #edits = Promise.resolve()

  constructor(service: Service, space: string, frontMatter: boolean) {
    this.#service = service
    this.#root = join(mkdtempSync(join(tmpdir(), 'recto-test-')), 'folder')
    this.#space = space
    this.#frontMatter = frontMatter
    this.#client = createClient({ url: service.admin.base, key: service.admin.key })
  }

  [Symbol.dispose](): void {
    rmSync(dirname(this.#root), { recursive: true, force: true })
  }

  async start(): Promise<void> {
    const { createdAt } = await this.#client.spaces.create(this.#space)
    mkdirSync(this.#root)
    createState(this.#root, this.#config(createdAt))
    for (let place = 0; place < PLACES_AT_START; place++) {
      const side = place % 2 === 0 ? 'folder' : 'space'
      await this.#edit({ side, does: 'create', one: 0, two: place })
    }
    await this.#run(UNDISTURBED)
  }

  #config(createdAt: string) {
    const metadata = this.#frontMatter ? 'front-matter' : 'file'
    return { url: '', space: this.#space, createdAt, metadata } as const
  }

  async apply(step: ModelStep): Promise<void> {
    this.log.push(JSON.stringify(step))
    for (const edit of step.edits) await this.#edit(edit)
    await this.#run(step.run)
  }

  /** Edits what the address names, where it names something. */
  async #edit(step: Edit, address = ''): Promise<void> {
    if (step.side === 'folder') this.#inFolder(step)
    else {
      // One after the other: two that read the same text would replace each other's.
      this.#edits = this.#edits.then(() => this.#inSpace(step, address).catch(ignoreTaken))
      await this.#edits
    }
  }

  #isAt(address: string, path: string): boolean {
    return address.endsWith(`/${this.#space}/${path}`)
  }

  async #session({ stopAfter, disturbance }: Run): Promise<Session> {
    const client =
      disturbance &&
      disturbedClient(this.#service, disturbance, (number, address) => {
        this.log.push('  edit in the space')
        return this.#edit({ side: 'space', does: 'insert', one: number, two: number }, address)
      })
    const space = await this.#client.spaces.get(this.#space)
    let steps = 0
    const step = (what: string) => {
      this.log.push(`  ${what}`)
      if (++steps > stopAfter) throw new Crash(what)
    }
    return { root: this.#root, config: this.#config(space.createdAt), client: client ?? this.#client, step }
  }

  /** The names of the files that it could not carry over. */
  async #run(run: Run): Promise<readonly string[]> {
    try {
      const { problems } = await synchronise(await this.#session(run), { direction: run.direction, allowDeletes: true })
      await this.#checkProblems(problems)
      return [...problems.keys()]
    } catch (error) {
      if (!isInterruption(error)) throw error
      this.log.push(`  ${error.name}`)
      return []
    }
  }

  /** The only one that there may be: a new file, where the space redirects to the page or file that has moved away. */
  async #checkProblems(problems: ReadonlyMap<string, string>): Promise<void> {
    for (const [name, reason] of problems) {
      this.log.push(`  problem: ${name}: ${reason}`)
      const { kind, path } = parseName(name)
      const api = kind === 'page' ? 'pages' : 'files'
      const { path: there } = await this.#client[api].get(this.#space, path)
      assert.notEqual(there, path, `${name}: ${reason}`)
      assert.ok(reason.includes(`has moved to \`${there}\``), `${name}: ${reason}, but it is at ${there}`)
      assert.equal(existsSync(join(this.#root, name)), true, name)
    }
  }

  #token(): string {
    const token = `t${this.#tokens++}.`
    this.#kept.add(token)
    return token
  }

  /** Somebody wants it gone. */
  #forget(text: string): void {
    for (const [token] of text.matchAll(/t\d+\./g)) this.#kept.delete(token)
  }

  #names(): string[] {
    const names = readdirSync(this.#root, { recursive: true, encoding: 'utf8' }).sort()
    return names.filter((name) => !name.startsWith('.') && statSync(join(this.#root, name)).isFile())
  }

  #inFolder({ does, one, two }: Edit): void {
    const own = this.#names().filter((name) => !isConflictCopy(name))
    const name = own[one % Math.max(own.length, 1)]
    const place = PLACES[two % PLACES.length] ?? 'a'
    const target = place.startsWith('img') ? place : `${place.replace(':', '%3A').replace(/\.$/, '%2E')}.md`
    if (does === 'create') {
      if (!this.#isTaken(target)) this.#writeFile(target, `${this.#token()}\n`)
    } else if (name === undefined || does === 'metadata') return
    else if (does === 'move') {
      if (this.#isTaken(target) || target.endsWith('.md') !== name.endsWith('.md')) return
      mkdirSync(dirname(join(this.#root, target)), { recursive: true })
      renameSync(join(this.#root, name), join(this.#root, target))
    } else if (does === 'delete') {
      this.#forget(this.#read(name))
      rmSync(join(this.#root, name))
    } else this.#writeFile(name, this.#edited(this.#read(name), { does, two, isPage: name.endsWith('.md') }))
  }

  /**
   * By a file of this name, or by one for the same page: `A.md` and `%41.md`. Both together are a problem that a run
   * reports.
   */
  #isTaken(target: string): boolean {
    const { kind, path } = parseName(target)
    const isSame = (name: string) => parseName(name).kind === kind && parseName(name).path === path
    return existsSync(join(this.#root, target)) || this.#names().some(isSame)
  }

  #edited(text: string, { does, two, isPage }: { does: string; two: number; isPage: boolean }): string {
    if (!isPage) {
      this.#forget(text)
      return `${this.#token()}\n`
    }
    const lines: readonly string[] = text.match(/[^\n]*\n/g) ?? []
    const at = two % (lines.length + 1)
    const replaced = does === 'replace' ? lines.slice(at, at + 1).filter((line) => /^t\d+\.\n$/.test(line)) : []
    this.#forget(replaced.join(''))
    // Not inside of what is no text of the actors: front matter and conflict markers.
    const start = text.startsWith('---') ? lines.indexOf('---\n', 1) + 1 : 0
    return lines.toSpliced(Math.max(at, start), at >= start ? replaced.length : 0, `${this.#token()}\n`).join('')
  }

  #read(name: string): string {
    return readFileSync(join(this.#root, name), 'utf8')
  }

  #writeFile(name: string, text: string): void {
    mkdirSync(dirname(join(this.#root, name)), { recursive: true })
    writeFileSync(join(this.#root, name), text)
  }

  async #inSpace({ does, one, two }: Edit, address: string): Promise<void> {
    const pages = await this.#client.pages.list(this.#space).toArray()
    const files = await this.#client.files.list(this.#space).toArray()
    const all = [
      ...pages.map(({ path, version }) => ({ api: 'pages' as const, path, version: version ?? 0 })),
      ...files.map(({ path, version }) => ({ api: 'files' as const, path, version: version ?? 0 })),
    ]
    const named = all.find(({ path }) => this.#isAt(address, path))
    const item = named ?? all[one % Math.max(all.length, 1)]
    const place = PLACES[two % PLACES.length] ?? 'a'
    if (does === 'create') {
      const api = place.startsWith('img') ? 'files' : 'pages'
      await this.#put(api, place, `${this.#token()}\n`, { createOnly: true })
      return
    }
    if (!item) return
    const { api, path, version } = item
    const condition = { ifMatch: version }
    if (does === 'move') {
      if (place.startsWith('img') !== (api === 'files')) return
      await this.#client[api].move(this.#space, path, { to: { path: place }, rewriteLinks: false })
    } else if (does === 'metadata') {
      if (api === 'pages') await this.#client.metadata.patch(this.#space, path, { set: { key: two } })
    } else {
      const text = await this.#text(api, path, version)
      if (does === 'delete') {
        await this.#client[api].delete(this.#space, path, condition)
        this.#forget(text)
      } else {
        const kept = new Set(this.#kept)
        const edited = this.#edited(text, { does, two, isPage: api === 'pages' })
        await this.#put(api, path, edited, condition, kept)
      }
    }
  }

  /** Who is not the first to write has written nothing, and replaced nothing. */
  async #put(
    api: 'pages' | 'files',
    path: string,
    text: string,
    condition: { readonly createOnly: true } | { readonly ifMatch: number },
    kept?: ReadonlySet<string>,
  ): Promise<void> {
    try {
      await this.#client[api].put(this.#space, path, Buffer.from(text), condition)
    } catch (error) {
      this.#forget(text)
      for (const token of kept ?? []) this.#kept.add(token)
      throw error
    }
  }

  async #text(api: 'pages' | 'files', path: string, version?: number): Promise<string> {
    const options = { version }
    if (api === 'pages') return (await this.#client.pages.getMarkdown(this.#space, path, options)).body
    return new Response(await this.#client.files.read(this.#space, path, options)).text()
  }

  /**
   * Carries everything over, and resolves conflicts with both texts: then the sides are equal, and every token is
   * there.
   */
  async finish(): Promise<void> {
    await until(async () => {
      const refused = await this.#run(UNDISTURBED)
      // A person gives a new file another name where its own one is the former address of another.
      for (const [index, name] of refused.entries()) {
        const { kind } = parseName(name)
        renameSync(
          join(this.#root, name),
          join(this.#root, `other-${this.#tokens}-${index}.${kind === 'page' ? 'md' : 'png'}`),
        )
      }
      for (const name of this.#names()) {
        if (name.endsWith('.md') && !isConflictCopy(name)) resolveConflict(this.#root, name, 'both')
      }
      const { conflicts, ...status } = await readStatus(await this.#session(UNDISTURBED), true)
      return conflicts.every(isConflictCopy) && isInSync({ ...status, conflicts: [] })
    }, 200_000) // a single case took 10 seconds to 5 minutes on a loaded machine
    const folder = this.#names().filter((name) => !isConflictCopy(name))
    const pages = await this.#client.pages.list(this.#space).toArray()
    const files = await this.#client.files.list(this.#space).toArray()
    const space = [...pages.map(({ path }) => `page ${path}`), ...files.map(({ path }) => `file ${path}`)]
    assert.deepEqual(
      folder
        .map(parseName)
        .map(({ kind, path }) => `${kind} ${path}`)
        .sort(),
      space.sort(),
    )
    for (const name of folder) {
      const { kind, path } = parseName(name)
      const text = await this.#text(kind === 'page' ? 'pages' : 'files', path)
      assert.equal(this.#read(name).endsWith(text), true, name)
    }
    const texts = this.#names()
      .map((name) => this.#read(name))
      .join('')
    assert.deepEqual(
      [...this.#kept].filter((token) => !texts.includes(token)),
      [],
    )
  }
}

/**
 * The run stopped, or the service did not answer: on a loaded machine the database can be too slow for a client without
 * retries.
 */
function isInterruption(error: unknown): error is Error {
  if (error instanceof ServiceError) return error.status === 503
  return error instanceof Crash || error instanceof ConnectionError
}

/** The actor meant something that is not there, or is there already. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof ApiError && [404, 409, 410, 412].includes(error.status))) throw error
}
