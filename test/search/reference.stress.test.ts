import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'

/** No stem of a language changes them, and none is at edit distance 1 of another. */
const WORDS = ['bolk', 'drimp', 'fask', 'glorn', 'hulpax', 'vimbot']
const SPACES = ['open', 'german', 'closed']
/** Spaces that each of the callers can read. */
const READABLE: Readonly<Record<string, readonly string[]>> = { Ann: SPACES, Bob: ['open', 'german'] }

interface Page {
  readonly space: string
  readonly path: string
  readonly author: string
  readonly title: readonly string[]
  readonly body: readonly string[]
  readonly status: string | undefined
}

let service: Service
const clients = new Map<string, Client>()
const pages: Page[] = []

before(async () => {
  service = await startService()
  const { admin } = service
  for (const name of Object.keys(READABLE)) clients.set(name, (await newPerson(admin, name)).client)
  const ann = clientOf('Ann')
  for (const slug of ['open', 'german'])
    await ann.space(slug, { defaultRole: 'editor', ...(slug === 'german' && { language: 'de' }) })
  await ann.space('closed', { visibility: 'private' })
  const words = (minLength: number, maxLength: number) => fc.array(fc.constantFrom(...WORDS), { minLength, maxLength })
  const random = fc.record({
    space: fc.constantFrom(...SPACES),
    folder: fc.constantFrom(...WORDS),
    byBob: fc.boolean(),
    title: words(1, 2),
    body: words(0, 4),
    status: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
  })
  for (const [n, { folder, byBob, ...page }] of fc.sample(random, { numRuns: 36, seed: 5 }).entries()) {
    const author = byBob && page.space !== 'closed' ? 'Bob' : 'Ann'
    const path = `${folder}/n${n}`
    pages.push({ ...page, path, author })
    const input = {
      body: `# ${page.title.join(' ')}\n\n${page.body.join(' ')}`,
      ...(page.status !== undefined && { metadata: { status: page.status } }),
    }
    assertStatus(await clientOf(author).call('PUT', `/pages/${page.space}/${path}`, { json: input }), 201)
  }
})
function clientOf(name: string): Client {
  const client = clients.get(name)
  assert.ok(client)
  return client
}

after(() => service[Symbol.asyncDispose]())

/** Texts of a page: a phrase is within one of them. */
function textsOf({ title, path, body, status }: Page): readonly (readonly string[])[] {
  return [title, path.split('/'), [...title, ...body], status === undefined ? [] : [status]]
}

function meetsTerm(page: Page, term: string, isLast: boolean): boolean {
  if (term.startsWith('-')) return !meetsTerm(page, term.slice(1), false)
  const [, operator, value = ''] = /^([a-z]+):(.*)$/.exec(term) ?? []
  if (operator === 'in') return page.space === value
  if (operator === 'by') return page.author === value
  if (operator === 'has') return value === 'status' && page.status !== undefined
  if (operator === 'path') return page.path.includes(value)
  if (operator === 'title') return page.title.includes(value) || page.path.split('/').includes(value)
  if (term.startsWith('"')) {
    const [first, second] = term.slice(1, -1).split(' ')
    return textsOf(page).some((text) => text.some((word, at) => word === first && text[at + 1] === second))
  }
  return textsOf(page)
    .flat()
    .some((word) => word === term || (isLast && word.startsWith(term)))
}

/**
 * The pages that a plain scan of everything that a caller can read finds, with all terms of one of the alternatives.
 */
function reference(who: string, q: string): string[] {
  const alternatives = q.split(' OR ').map((part) => part.match(/"[^"]*"|\S+/g) ?? [])
  const isOperator = (term: string) => /^-?[a-z]+:/.test(term)
  const operators = alternatives.flat().filter(isOperator)
  // Several spaces are alternatives.
  const inside = operators.filter((term) => term.startsWith('in:'))
  const conditions = operators.filter((term) => !term.startsWith('in:'))
  const branches = alternatives
    .map((terms, index) => ({ terms, isLast: index === alternatives.length - 1 }))
    .map(({ terms, isLast }) => ({ words: terms.filter((term) => !isOperator(term)), last: isLast && terms.at(-1) }))
    .filter(({ words }) => words.some((word) => !word.startsWith('-')))
  if (branches.length === 0 && operators.length === 0) return []
  return pages
    .filter(({ space }) => READABLE[who]?.includes(space))
    .filter(({ space }) => inside.length === 0 || inside.includes(`in:${space}`))
    .filter((page) => conditions.every((term) => meetsTerm(page, term, false)))
    .filter(
      (page) =>
        branches.length === 0 ||
        branches.some(({ words, last }) => words.every((word) => meetsTerm(page, word, word === last))),
    )
    .map(({ space, path }) => `${space}/${path}`)
    .sort()
}

test('any query with operators finds what a plain scan of all readable pages finds', async () => {
  const word = fc.constantFrom(...WORDS)
  const term = fc.oneof(
    { weight: 4, arbitrary: word },
    fc.tuple(word, word).map(([a, b]) => `"${a} ${b}"`),
    fc.constantFrom('glo', 'hulp', 'absentee'),
    fc.constantFrom('in:', '-in:').chain((operator) => fc.constantFrom(...SPACES).map((space) => operator + space)),
    fc.constantFrom('by:', '-by:').chain((operator) => fc.constantFrom('Ann', 'Bob').map((name) => operator + name)),
    fc.constantFrom('has:status', '-has:status', 'has:other'),
    fc.constantFrom('title:', '-title:', '-').chain((operator) => word.map((word) => operator + word)),
    fc.constantFrom('path:', '-path:').chain((operator) => word.map((word) => `${operator}${word}/`)),
  )
  const query = fc
    .array(fc.array(term, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
    .map((branches) => branches.map((terms) => terms.join(' ')).join(' OR '))
  const property = fc.asyncProperty(query, fc.constantFrom(...Object.keys(READABLE)), async (q, who) => {
    const answer = await clientOf(who).get(`/search?limit=100&q=${encodeURIComponent(q)}`)
    const { items, relaxed, corrected } = assertStatus(answer, 200).json
    assert.ok(items.every(({ space }: { space: string }) => READABLE[who]?.includes(space)))
    const found = items
      .filter(({ missing }: { missing?: string[] }) => missing === undefined)
      .map(({ space, path }: { space: string; path: string }) => `${space}/${path}`)
      .sort()
    const expected = reference(who, q)
    if (expected.length > 0 || (relaxed === undefined && corrected === undefined)) assert.deepEqual(found, expected)
  })
  await fc.assert(property, { numRuns: 80 })
})

test('pages that the caller cannot read change no hit, score or correction', async () => {
  const bob = clientOf('Bob')
  const queries = [
    'bolk drimp',
    'fask',
    'how is the fask of a glorn with a hulpax?',
    'fazk glorn',
    'vimbotglorn',
    'fask zzzz bolk',
  ]
  const ask = async () => {
    const answers = queries.map(async (q) => {
      const { json } = assertStatus(await bob.get(`/search?limit=100&q=${encodeURIComponent(q)}`), 200)
      return { ...json, nextCursor: null }
    })
    return Promise.all(answers)
  }
  const known = await ask()
  for (const [n, word] of ['fazk', 'farkk', 'fark', 'vimbot glorn', 'zzzz'].entries()) {
    const links = pages.slice(0, 5).map(({ space, path }) => `[x](/pages/${space}/${path})`)
    const body = `# Hidden ${word}\n\n${'bolk '.repeat(9)} drimp fask glorn hulpax ${word} ${links.join(' ')}`
    assertStatus(await clientOf('Ann').put(`/pages/closed/hidden${n}`, body), 201)
  }
  assert.deepEqual(await ask(), known)
})
