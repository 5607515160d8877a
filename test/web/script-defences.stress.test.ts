import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { renderPage } from '@recto/markdown/page.ts'
import MarkdownIt from 'markdown-it'
import { assertStatus } from '../support/client.ts'
import { startService } from '../support/service.ts'
import { withSharedData } from '../support/shared-data.ts'
import { startVectorSite, type VectorSite } from '../support/vector-site.ts'
import { xssVectors } from '../support/xss-vectors.ts'

// Two defences keep scripts of a page from running: the sanitiser and the Content-Security-Policy. Each is tried
// without the other.

/** One in so many vectors: few in CI, and all of them, with `1`, by hand. */
const EVERY = Number(process.env.RECTO_XSS_EVERY ?? 80)
const A_DOCUMENT = 20
const HOLE = 'the-body-stands-here'

const stack = new AsyncDisposableStack()
let site: VectorSite
let policy: string
let vectors: string[]
/** The document of a page, with other HTML as its body. */
let withBody: (html: string) => string
before(async () => {
  if ('skip' in withSharedData) return
  vectors = xssVectors().filter((_, index) => index % EVERY === 0)
  const service = stack.use(await startService())
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/page', HOLE), 201)
  const { text, headers } = await service.admin.get('/pages/docs/page', { accept: 'text/html' })
  const [start, end, ...more] = text.split(`<p>${HOLE}</p>`)
  assert.ok(start && end && more.length === 0)
  withBody = (html) => start + html + end
  policy = headers.get('content-security-policy') ?? ''
  site = stack.use(await startVectorSite(service.admin.base))
})
after(() => stack.disposeAsync())

const loose = new MarkdownIt({ html: true })
loose.validateLink = () => true

/** A vector as it would stand in a page that nobody sanitised. */
function unsanitised(vector: string): string {
  return withBody(vector.includes('<') ? vector : loose.render(vector))
}

async function ran(documents: readonly string[], header: string | undefined): Promise<string[]> {
  return (await site.visit(documents, header)).map((number) => vectors[number] ?? '')
}

test('without the policy no vector runs: the sanitiser leaves nothing that could', withSharedData, async (t) => {
  // What the sanitiser lets through leaves nothing open, so that many vectors stand in one document.
  const html = vectors.map((vector) => renderPage(vector).html)
  const documents: string[] = []
  while (html.length > 0) documents.push(withBody(html.splice(0, A_DOCUMENT).join('\n')))
  assert.deepEqual(await site.visit(documents, undefined), [])
  t.diagnostic(`${vectors.length} vectors`)
})

test('without the sanitiser the Content Security Policy stops every vector', withSharedData, async (t) => {
  assert.deepEqual(await ran(vectors.map(unsanitised), policy), [])
  t.diagnostic(`${vectors.length} vectors`)
})

test('without both defences many vectors run, so the test detects a failing defence', withSharedData, async (t) => {
  // The others name events and elements that Chromium does not have, are not JavaScript, or are fragments that call
  // nothing.
  const count = (await ran(vectors.map(unsanitised), undefined)).length
  assert.ok(count > vectors.length / 10, `${count} of ${vectors.length}`)
  t.diagnostic(`${count} of ${vectors.length} vectors ran`)
})
