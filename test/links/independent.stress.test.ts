import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { writeZip } from '@recto/lib/zip/zip-writer.ts'
import { assertStatus } from '../support/client.ts'
import { CORPORA, corporaMissing, corpusFolder } from '../support/corpora.ts'
import { expectLinks } from '../support/link-checker.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'
import { syncFolder } from '../sync/folder.ts'

/** By hand another folder of Markdown files. */
const FOLDER = process.env.RECTO_LINK_FOLDER
const folders = FOLDER === undefined ? CORPORA.map(corpusFolder) : [FOLDER]
const skip = FOLDER === undefined && corporaMissing

let service: Service
before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0' })
})
after(() => service[Symbol.asyncDispose]())

interface Corpus {
  readonly folder: string
  /** By the path of the page. */
  readonly pages: ReadonlyMap<string, Buffer>
  readonly files: ReadonlyMap<string, Buffer>
}

function readCorpus(folder: string): Corpus {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  )
  const read = (name: string) => readFileSync(join(folder, name))
  const isPage = (name: string) => name.endsWith('.md')
  return {
    folder,
    pages: new Map(names.filter(isPage).map((name) => [name.slice(0, -'.md'.length), read(name)])),
    files: new Map(names.filter((name) => !isPage(name)).map((name) => [name, read(name)])),
  }
}

type Door = (space: string, corpus: Corpus) => Promise<void>

const doors: Readonly<Record<string, Door>> = {
  async import(space, { folder }) {
    const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
    const { code, err } = await runCommand(['import', folder, '--space', space], env)
    assert.equal(code, 0, err)
  },
  async zip(space, { pages, files }) {
    await service.admin.space(space)
    async function* entries() {
      const modified = new Date()
      for (const [path, content] of pages) yield { name: `${path}.md`, content, modified }
      for (const [name, content] of files) yield { name, content, modified }
    }
    const answer = await service.admin.call('POST', `/spaces/${space}/import`, {
      body: await buffer(writeZip(entries())),
      headers: { 'content-type': 'application/zip' },
    })
    assertStatus(answer, 200)
  },
  async push(space, { folder }) {
    await service.admin.space(space)
    using clone = syncFolder(service)
    assert.equal((await clone.clone(space)).code, 0)
    await cp(folder, clone.path, { recursive: true })
    const { code, err } = await clone.run('push')
    assert.equal(code, 0, err)
  },
}

/** Does the work for all items, eight at a time. */
async function each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value)
    }),
  )
}

/** What differs in one list, for a message that can be read. */
function differences(kind: string, actual: readonly string[], expected: readonly string[]): string[] {
  if (actual.join('\n') === expected.join('\n')) return []
  const without = (all: readonly string[], others: readonly string[]) => {
    const rest = [...others]
    return all.filter((one) => {
      const index = rest.indexOf(one)
      if (index !== -1) rest.splice(index, 1)
      return index === -1
    })
  }
  const more = without(actual, expected).map((one) => `${kind}: unexpected ${one}`)
  const less = without(expected, actual).map((one) => `${kind}: missing ${one}`)
  return more.length + less.length > 0 ? [...more, ...less] : [`${kind}: another order`]
}

/** Whether `|` in its text ends a cell is a question of tables, which CommonMark does not know. */
const isAmbiguous = (link: string) => link.includes('|')

async function compare(space: string, { pages, files }: Corpus) {
  const bodies = new Map([...pages].map(([path, body]) => [path, body.toString()]))
  const expected = expectLinks(space, bodies, new Set(files.keys()))
  const defects: string[] = []
  const counts = { pages: pages.size, links: 0, leftOut: 0, broken: expected.broken.size, wanted: expected.wanted.size }
  await each(pages, async ([path, body]) => {
    const url = `${service.app.address}/pages/${space}/${encodeURIComponent(`${path}.md`)}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${service.admin.key}` } })
    if (!body.equals(Buffer.from(await response.arrayBuffer()))) defects.push(`${path} has other bytes`)
    const { json } = assertStatus(await service.admin.get(`/pages/${space}/${encodeURIComponent(path)}/links`), 200)
    type Told = { readonly path: string; readonly exists: boolean; readonly text: string }
    const outbound = json.outbound.map((link: Told) => `${link.path} ${link.exists} ${link.text}`)
    const expectedLinks = expected.outbound.get(path) ?? []
    const comparable = expectedLinks.filter((link) => !isAmbiguous(link))
    counts.links += comparable.length
    counts.leftOut += expectedLinks.length - comparable.length
    const links = outbound.filter((link: string) => !isAmbiguous(link))
    defects.push(...differences(`links of ${path}`, links, comparable))
    const referred = json.files.map((file: Told) => `${file.path} ${file.exists}`)
    defects.push(...differences(`files of ${path}`, referred, expected.files.get(path) ?? []))
  })
  const broken = (await service.admin.all(`/spaces/${space}/links/broken?limit=200`)).map(
    ({ kind, source, target }) => `${kind} ${source.path} ${target.path}`,
  )
  defects.push(...differences('broken', [...new Set(broken)].sort(), [...expected.broken].sort()))
  const wanted = (await service.admin.all(`/spaces/${space}/links/wanted?limit=200`)).map(
    ({ path, pageCount }) => `${path} ${pageCount}`,
  )
  const expectedWanted = [...expected.wanted].map(([path, count]) => `${path} ${count}`)
  defects.push(...differences('wanted', wanted.sort(), expectedWanted.sort()))
  return { defects, counts }
}

for (const folder of folders) {
  for (const [door, take] of Object.entries(doors)) {
    test(`bytes, links, broken and wanted of ${folder} by ${door} equal an independent checker`, {
      skip,
    }, async (t) => {
      const corpus = readCorpus(folder)
      const space = `${basename(folder).toLowerCase()}-${folders.indexOf(folder)}-${door}`
      await take(space, corpus)
      const { defects, counts } = await compare(space, corpus)
      t.diagnostic(JSON.stringify(counts))
      assert.deepEqual(defects, [])
    })
  }
}
