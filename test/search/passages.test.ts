import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { choosePassages } from '../../packages/server/src/content/search/snippets/passages.ts'
import { connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service

const filler = (words: string) => Array.from({ length: 12 }, (_, n) => `${words} number ${n} says little.`).join('\n')
const HANDBOOK = `---
title: Handbook
---
# Handbook

${filler('A line of quokka lore')}

## On call

${filler('A line about the rota')}

### Paging

The quokka pager rings twice, then it calls the second person.

## Leave

${filler('A line about holidays')}
`

before(async () => {
  service = await startService()
  await service.admin.space('docs')
  await service.admin.space('secret', { visibility: 'private' })
  for (const space of ['docs', 'secret'])
    assertStatus(await service.admin.put(`/pages/${space}/handbook`, HANDBOOK), 201)
  for (let n = 0; n < 5; n++)
    assertStatus(await service.admin.put(`/pages/docs/n${n}`, `# Page ${n}\n\nThe pager ${'é'.repeat(700)}`), 201)
})
after(() => service[Symbol.asyncDispose]())

const search = async (query: Record<string, string>, client = service.admin) =>
  (await client.get(`/search?${new URLSearchParams({ passages: 'true', ...query })}`)).json

test('a search with passages has the lines that are about the query, their headings, version and author', async () => {
  const { items } = await search({ q: 'quokka pager', space: 'docs' })
  const [{ passages, updatedBy, url, version }] = items
  assert.deepEqual(passages[0].headings, ['Handbook', 'On call', 'Paging'])
  assert.match(passages[0].text, /^### Paging\n\nThe quokka pager rings/)
  const lines = HANDBOOK.split('\n').slice(passages[0].fromLine - 1, passages[0].toLine)
  assert.equal(passages[0].text, lines.join('\n'))
  assert.deepEqual([updatedBy.kind, version, new URL(url).pathname], ['human', 1, '/pages/docs/handbook'])
})

test('passages fit into the tokens, one at least, and the cursor continues after the last page', async () => {
  const addresses: string[] = []
  let cursor: string | null = null
  do {
    const page = await search({ q: 'pager', tokens: '700', space: 'docs', ...(cursor !== null && { cursor }) })
    const size = Buffer.byteLength(
      JSON.stringify(page.items.flatMap(({ passages }: { passages: unknown }) => passages)),
    )
    assert.ok(page.items.length > 0 && size < 2 * 2_800, `${size} bytes`)
    addresses.push(...page.items.map(({ path }: { path: string }) => path))
    cursor = page.nextCursor
  } while (cursor !== null)
  assert.deepEqual(addresses.toSorted(), ['handbook', 'n0', 'n1', 'n2', 'n3', 'n4'])
})

test('passages are of pages that the caller can read', async () => {
  const { client } = await newPerson(service.admin, 'Eve')
  const { items } = await search({ q: 'quokka pager' }, client)
  assert.deepEqual(
    items.map(({ space }: { space: string }) => space),
    ['docs'],
  )
})

test('the tool that searches returns passages as they are written', async () => {
  await using agent = await connectAgent(service.app.address, service.admin.key)
  const result = await agent.call('context_search', { query: 'quokka pager', passages: true, tokens: 300 })
  assert.match(textOf(result), /On call > Paging:\n### Paging\n\nThe quokka/)
})

test('passages are disjoint lines of the body, whatever its lines, headings and words are', () => {
  const line = fc.constantFrom('', 'a', 'word '.repeat(30), 'x'.repeat(900), '# h')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.array(fc.nat(29)), (lines, places) => {
      const passages = choosePassages({
        lines,
        fromLine: 1,
        headings: lines.flatMap((text, n) => (text === '# h' ? [{ level: 1, text: 'h', line: n + 1 }] : [])),
        words: new Map(places.map((n) => [n + 1, new Set(['w'])])),
        findWords: () => 850,
      })
      const numbers = passages.flatMap(({ fromLine, toLine }) =>
        Array.from({ length: toLine - fromLine + 1 }, (_, n) => fromLine + n),
      )
      assert.equal(new Set(numbers).size, numbers.length)
      for (const { text, fromLine, toLine } of passages) {
        assert.ok(text.length <= 800)
        const written = lines.slice(fromLine - 1, toLine).join('\n')
        assert.ok(written === text || written.includes(text.replaceAll('…', '')))
      }
      assert.equal(
        passages.length === 0,
        lines.every((text) => text === ''),
      )
    }),
  )
})
