import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc, rounds } from '../support/property.ts'
import { FILE_PATHS, FileWorld } from './model-files.ts'

// Requests by several authors, with direct writes, moves, deletions and merges between, in any order, equal a reference:
// nothing that anybody wrote is lost without a conflict.

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
})
after(() => nodes[Symbol.asyncDispose]())

const PATHS = ['a', 'b', 'c', 'd']
const LINES = 3
const REQUESTS = [1, 2]

interface Page {
  readonly id: number
  readonly path: string
  lines: string[]
  version: number
  tags: string[]
  /** What its first version says. */
  readonly first: { readonly version: number; readonly lines: readonly string[] }
}
interface Draft {
  readonly page: Page | undefined
  base: string[]
  baseVersion: number
  path: string | undefined
  readonly basePath: string | undefined
  lines: string[] | undefined
  isDeleted: boolean
  tags: string[]
  n: number
}

/** Words between which the lines stand, so that no two changes touch. */
const toBody = (lines: readonly string[]) => lines.map((line, n) => `${line}\n\nfixed ${n}\n\n`).join('')
const same = (a: readonly string[], b: readonly string[]) => a.join() === b.join()

/** What the service should hold. */
class World {
  readonly pages = new Map<string, Page>()
  readonly drafts = new Map<number, Set<Draft>>(REQUESTS.map((number) => [number, new Set<Draft>()]))
  #ids = 0

  newPage(path: string, lines: string[], version: number, tags: string[] = []): void {
    this.pages.set(path, { id: this.#ids++, path, lines, version, tags, first: { version, lines } })
  }

  pathOf(page: Page | undefined): string | undefined {
    return [...this.pages].find(([, each]) => each === page)?.[0]
  }

  /** Where a draft is in its request; undefined: its page is gone. */
  placeOf(draft: Draft): string | undefined {
    return draft.path ?? draft.page?.path
  }

  /** The draft or page at a path of a request. */
  at(number: number, path: string): { draft?: Draft; page?: Page } {
    const drafts = [...(this.drafts.get(number) ?? [])]
    const here = drafts.find((draft) => !draft.isDeleted && draft.path === path)
    const page = this.pages.get(path)
    const ofPage = page && drafts.find((draft) => draft.page === page)
    if (here) return { draft: here, ...(here.page && { page: here.page }) }
    if (ofPage && (ofPage.isDeleted || (ofPage.path !== undefined && ofPage.path !== path))) return {}
    return { ...(ofPage && { draft: ofPage }), ...(page && { page }) }
  }

  conflicts(number: number): Set<string> {
    const found = new Set<string>()
    const drafts = [...(this.drafts.get(number) ?? [])]
    for (const draft of drafts) {
      const now = this.pathOf(draft.page)
      const place = this.placeOf(draft)
      if (draft.page && now === undefined) {
        if (!draft.isDeleted) found.add(`${place} deleted`)
      } else if (draft.isDeleted) {
        if (draft.page?.version !== draft.baseVersion) found.add(`${place} changed`)
      } else {
        // One that the request deletes leaves its address to the new one.
        const there = this.pages.get(place ?? '')
        const isLeft = drafts.some((other) => other.isDeleted && other.page === there)
        if (!draft.page && there && !isLeft) found.add(`${place} exists`)
        const { page, lines, base } = draft
        const isTouched =
          page && lines?.some((line, n) => line !== base[n] && page.lines[n] !== base[n] && line !== page.lines[n])
        if (isTouched) found.add(`${place} text`)
      }
    }
    return found
  }

  merge(number: number): void {
    const drafts = [...(this.drafts.get(number) ?? [])]
    for (const { isDeleted, page } of drafts) if (isDeleted && page) this.pages.delete(this.pathOf(page) ?? '')
    for (const draft of drafts) {
      const { page, lines, base, tags, isDeleted } = draft
      if (!page || isDeleted) continue
      if (lines) page.lines = page.lines.map((line, n) => (lines[n] === base[n] ? line : (lines[n] ?? line)))
      page.tags = [...page.tags, ...tags]
    }
    for (const { page, isDeleted, path, lines, tags } of drafts) {
      if (!page && !isDeleted && path && lines) this.newPage(path, lines, 1, [...tags])
    }
    this.drafts.set(number, new Set())
  }
}

type Step = readonly [kind: string, number: number, path: string, line: number]
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom(
    'write',
    'write',
    'delete',
    'tag',
    'propose',
    'propose',
    'propose',
    'proposeDelete',
    'proposeTag',
    'proposeRestore',
    'writeFile',
    'deleteFile',
    'proposeFile',
    'proposeFile',
    'proposeFileDelete',
    'proposeFileMove',
    'merge',
  ),
  fc.constantFrom(...REQUESTS),
  fc.constantFrom(...PATHS),
  fc.nat(LINES - 1),
)

let merges = 0
let refusals = 0

async function play(admin: Client, space: string, steps: readonly Step[]): Promise<void> {
  const world = new World()
  const files = new FileWorld(admin, space, REQUESTS)
  for (const path of PATHS.slice(0, 3)) {
    const lines = Array.from({ length: LINES }, (_, n) => `${path}${n}`)
    assertStatus(await admin.put(`/pages/${space}/${path}`, toBody(lines)), 201)
    world.newPage(path, lines, 1)
  }
  for (const _ of REQUESTS) assertStatus(await admin.post(`/spaces/${space}/change-requests`, { title: 'Words' }), 201)
  for (const [index, [kind, number, path, line]] of steps.entries()) {
    const query = `?changeRequest=${number}`
    const page = world.pages.get(path)
    const shown = world.at(number, path)
    const drafts = world.drafts.get(number) as Set<Draft>
    const word = `w${index}`
    const read = async (more = '') => admin.get(`/pages/${space}/${path}${more}`, { accept: 'application/json' })
    const tagOf = async (more = '') => ({ 'if-match': String((await read(more)).json.etag) })
    const changed = (lines: readonly string[]) => lines.map((each, n) => (n === line ? word : each))
    const draftOf = (): Draft => {
      const draft = shown.draft ?? {
        ...{ page: shown.page, base: shown.page?.lines ?? [], baseVersion: shown.page?.version ?? 0, isDeleted: false },
        ...{ path: shown.page ? undefined : path, basePath: shown.page && path, lines: undefined, tags: [], n: 0 },
      }
      drafts.add(draft)
      return draft
    }
    if (kind.includes('File')) {
      await files.play(kind, number, FILE_PATHS[line] ?? '', word)
    } else if (kind === 'write' && page) {
      const lines = changed(page.lines)
      const written = assertStatus(await admin.put(`/pages/${space}/${path}`, toBody(lines), await tagOf()), 200)
      Object.assign(page, { lines, version: written.json.version })
    } else if (kind === 'delete' && page && line === 0) {
      assertStatus(await admin.delete(`/pages/${space}/${path}`, await tagOf()), 204)
      world.pages.delete(path)
    } else if (kind === 'tag' && page) {
      assertStatus(await admin.patch(`/pages/${space}/${path}/metadata`, { append: { tags: [word] } }), 200)
      page.tags.push(word)
    } else if (kind === 'propose') {
      const exists = shown.draft !== undefined || shown.page !== undefined
      const before = shown.draft?.lines ?? shown.page?.lines ?? Array.from({ length: LINES }, (_, n) => `new${n}`)
      const headers = exists ? await tagOf(query) : {}
      const lines = changed(before)
      assertStatus(await admin.put(`/pages/${space}/${path}${query}`, toBody(lines), headers), 202)
      const draft = draftOf()
      if (draft.lines === undefined && draft.page) {
        Object.assign(draft, { base: draft.page.lines, baseVersion: draft.page.version })
      }
      draft.lines = lines
    } else if (kind === 'proposeDelete' && (shown.draft || shown.page)) {
      assertStatus(await admin.delete(`/pages/${space}/${path}${query}`, await tagOf(query)), 202)
      const draft = draftOf()
      if (!draft.page) drafts.delete(draft)
      else {
        const base = draft.lines === undefined ? { baseVersion: draft.page.version } : {}
        Object.assign(draft, { ...base, isDeleted: true, lines: undefined, tags: [] })
      }
    } else if (kind === 'proposeTag' && (shown.draft || shown.page)) {
      assertStatus(await admin.patch(`/pages/${space}/${path}/metadata${query}`, { append: { tags: [word] } }), 202)
      draftOf().tags.push(word)
    } else if (kind === 'proposeRestore' && shown.page && shown.page.path === path) {
      const { version, lines } = shown.page.first
      // The latest version as it is would be no change.
      if (shown.draft?.lines === undefined && version === shown.page.version) continue
      const url = `/pages/${space}/${path}/versions/${version}/make-latest${query}`
      assertStatus(await admin.post(url, undefined, await tagOf(query)), 202)
      const draft = draftOf()
      if (draft.lines === undefined) Object.assign(draft, { base: shown.page.lines, baseVersion: shown.page.version })
      draft.lines = [...lines]
    } else if (kind === 'merge' && drafts.size + files.count(number) > 0) {
      const url = `/spaces/${space}/change-requests/${number}`
      const { etag } = (await admin.get(url)).json
      const expected = new Set([...world.conflicts(number), ...files.conflicts(number)])
      const answer = await admin.post(`${url}/merge`, {}, { 'if-match': etag })
      if (expected.size > 0) {
        assertStatus(answer, 409)
        const told = answer.json.conflicts.map((each: { path: string; kind: string }) => `${each.path} ${each.kind}`)
        assert.deepEqual(new Set(told), expected)
        refusals++
      } else {
        assertStatus(answer, 200)
        world.merge(number)
        files.merge(number)
        merges++
        for (const { path: at, version } of answer.json.merged) {
          const page = world.pages.get(at)
          if (page) page.version = version
        }
        // A merged request takes no more drafts.
        break
      }
    }
  }
  for (const path of FILE_PATHS) {
    const { status, text } = await admin.get(`/files/${space}/${path}`)
    assert.equal(status === 200 ? text : undefined, files.read(path), `${path}: ${status}`)
  }
  for (const path of PATHS) {
    const page = world.pages.get(path)
    const answer = await admin.get(`/pages/${space}/${path}`, { accept: 'text/markdown' })
    assert.equal(answer.status === 200, page !== undefined, `${path}: ${answer.status}`)
    if (!page) continue
    assert.equal(answer.text, toBody(page.lines))
    const { metadata } = (await admin.get(`/pages/${space}/${path}/metadata`)).json
    assert.ok(same(metadata.tags ?? [], page.tags), `${metadata.tags} instead of ${page.tags}`)
  }
}

test('random proposals, direct writes and merges equal the reference', { timeout: 600_000 }, async () => {
  let spaces = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const admin: Client = nodes.admins[spaces % 2 === 0 ? 0 : 1]
      const space = `model-${spaces++}`
      await admin.space(space)
      try {
        await play(admin, space, steps)
      } finally {
        // Nobody may have more than 100 open ones.
        for (const number of REQUESTS) await admin.post(`/spaces/${space}/change-requests/${number}/close`)
      }
    }),
    { numRuns: rounds(30) },
  )
  assert.ok(merges > 0 && refusals > 0, `${merges} merges, ${refusals} refusals`)
})
