import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NameMatcher } from '../../packages/server/src/content/search/names.ts'
import { parseQuery } from '../../packages/server/src/content/search/query.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'

/** No stem of a language changes them, and none is at edit distance 1 of another. */
const WORDS = ['bolk', 'drimp', 'fask', 'glorn', 'hulpax', 'vimbot', 'krandel', 'zwerf', 'tupolt']
/** Where each caller reads: `open/hr` has a rule that lets Ann read alone. */
const PLACES: Readonly<Record<string, readonly string[]>> = { Ann: ['open', 'open/hr', 'closed'], Bob: ['open'] }

interface Page {
  /** A space, or a folder of one. */
  readonly place: string
  readonly name: string
  readonly title: readonly string[]
  readonly body: readonly string[]
}

let service: Service
const clients = new Map<string, Client>()
const pages: Page[] = []
/** Pages without these words that link to others, by their places. */
const links: { readonly place: string; readonly to: Page }[] = []

before(async () => {
  service = await startService()
  for (const name of Object.keys(PLACES)) clients.set(name, (await newPerson(service.admin, name)).client)
  const ann = clients.get('Ann')
  assert.ok(ann)
  await ann.space('open')
  await ann.space('closed', { visibility: 'private' })
  // The first words are in many pages, the last ones in few.
  const word = fc.nat(80).map((n) => WORDS[Math.floor(Math.sqrt(n))] ?? '')
  const words = (minLength: number, maxLength: number) => fc.array(word, { minLength, maxLength })
  const place = fc.constantFrom('open', 'open', 'open/hr', 'closed')
  const random = fc.record({ place, title: words(1, 2), body: words(0, 6) })
  for (const [n, page] of fc.sample(random, { numRuns: 36, seed: 3 }).entries()) {
    pages.push({ ...page, name: `n${n}` })
    const body = `# ${page.title.join(' ')}\n\n${page.body.join(' ')}`
    assertStatus(await ann.put(`/pages/${page.place}/n${n}`, body), 201)
  }
  const { id } = assertStatus(await ann.get('/me'), 200).json
  assertStatus(
    await ann.call('PUT', '/spaces/open/rules/hr', { json: { read: [{ principal: id }], write: 'inherit' } }),
    201,
  )
  const randomLink = fc.record({ place, to: fc.constantFrom(...pages.slice(0, 12)) })
  for (const [n, link] of fc.sample(randomLink, { numRuns: 24, seed: 4 }).entries()) {
    links.push(link)
    const body = `# Zed\n\n[zed](/pages/${link.to.place}/${link.to.name})`
    assertStatus(await ann.put(`/pages/${link.place}/link${n}`, body), 201)
  }
})
after(() => service[Symbol.asyncDispose]())

const hasWord = ({ title, body }: Page, word: string) => title.includes(word) || body.includes(word)
const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0)

/** As `ts_rank` of PostgreSQL: the weight of a title is 1, that of a text 0.3, and a further place adds less. */
function strength(page: Page, word: string): number {
  const places: (readonly [string, number])[] = [
    ...page.title.map((each) => [each, 1] as const),
    ...[...page.title, ...page.body].map((each) => [each, 0.3] as const),
  ]
  const weights = places.filter(([each]) => each === word).map(([, weight]) => weight)
  if (weights.length === 0) return 0
  const best = Math.max(...weights)
  const all = sum(weights.map((weight, at) => weight / (at + 1) ** 2))
  return Math.min(1, (best + all - best / (weights.indexOf(best) + 1) ** 2) / 1.64493406685)
}

/** The number of neighbours of a query that are neighbours in a text. */
function near(words: readonly string[], text: readonly string[]): number {
  return words.filter((word, at) => at > 0 && text.some((each, n) => each === word && text[n - 1] === words[at - 1]))
    .length
}

/** Address, score and missing words of each hit, from the definition. */
function reference(who: string, words: readonly string[]) {
  const isReadable = ({ place }: { readonly place: string }) => PLACES[who]?.includes(place)
  const readable = pages.filter(isReadable)
  const readableLinks = links.filter(isReadable)
  const all = readable.length + readableLinks.length
  const weights = words.map((word) => {
    const having = readable.filter((page) => hasWord(page, word)).length
    return having === 0 ? 0 : Math.log1p((all - having + 0.5) / (having + 0.5))
  })
  const share = (isMet: (word: string) => boolean) =>
    sum(weights.filter((_, at) => isMet(words[at] ?? ''))) / sum(weights)
  const names = new NameMatcher(parseQuery(words.join(' ')), weights)
  return readable.flatMap((page) => {
    const missing = words.filter((word) => !hasWord(page, word))
    if (missing.length > 0 && share((word) => !missing.includes(word)) < 0.1) return []
    const isTitled = words.every((word) => page.title.includes(word))
    // Of its path `hr/n1`: the folder, the name and its parts.
    const length = new Set([...page.title, ...page.body]).size + (page.place === 'open/hr' ? 4 : 3)
    const norm = 0.15 * (0.5 + (0.5 * length) / 300)
    const terms = words.map((word, at) => {
      const strong = strength(page, word)
      return ((weights[at] ?? 0) * strong) / (strong + norm)
    })
    const pairs = words.length - 1
    const closeness =
      0.25 * Number(missing.length === 0) +
      (0.3 * near(words, [...page.title, ...page.body])) / pairs +
      (0.2 * near(words, page.title)) / pairs
    const text =
      (0.7 * sum(terms)) / sum(weights) +
      0.05 * share((word) => !missing.includes(word)) +
      0.05 * Number(missing.length === 0) +
      0.2 * closeness
    const address = `${page.place}/${page.name}`
    const name = names.match({ title: page.title.join(' '), path: address.slice(address.indexOf('/') + 1) })
    const linking = Math.log1p(readableLinks.filter(({ to }) => to === page).length) / Math.log1p(50)
    const score = 0.46 * text + 0.19 * name.score + 0.21 * Number(name.whole) + text * (0.12 * linking + 0.02)
    return [{ address, score: score + Number(isTitled), missing }]
  })
}

test('any words find the pages of a plain ranking of all readable pages, in its order, with what they lack', async () => {
  const query = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 4 })
  const property = fc.asyncProperty(query, fc.constantFrom(...Object.keys(PLACES)), async (words, who) => {
    const expected = reference(who, words)
    const answer = await clients.get(who)?.get(`/search?limit=100&q=${words.join('%20')}`)
    assert.ok(answer)
    const { items, relaxed } = assertStatus(answer, 200).json
    const hits = items.map(({ space, path, missing = [] }: { space: string; path: string; missing?: string[] }) => ({
      address: `${space}/${path}`,
      missing,
    }))
    const byAddress = (a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1)
    assert.deepEqual(
      hits.toSorted(byAddress),
      expected.map(({ address, missing }) => ({ address, missing })).sort(byAddress),
    )
    const scores = new Map(expected.map(({ address, score }) => [address, score]))
    for (const { space, path, score } of items)
      assert.ok(
        Math.abs(score - (scores.get(`${space}/${path}`) ?? 0)) < 1e-4,
        `${who} ${words} ${path} ${score} ${scores.get(`${space}/${path}`)}`,
      )
    assert.deepEqual(
      items,
      items.toSorted((a: { score: number }, b: { score: number }) => b.score - a.score),
    )
    assert.equal(relaxed ?? false, expected.length > 0 && expected.every(({ missing }) => missing.length > 0))
  })
  await fc.assert(property, { numRuns: 40 })
})
