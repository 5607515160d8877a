import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs')
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

/** Opens a page with these diagrams, and returns the texts of those that are drawn, and the errors of the others. */
async function draw(path: string, sources: readonly string[]) {
  const body = sources.map((source) => `\`\`\`mermaid\n${source}\n\`\`\`\n`).join('\nText.\n\n')
  await service.admin.write(`docs/${path}`, `# Diagrams\n\n${body}`)
  const { page, open, complaints } = await newVisitor(browser, service)
  await page.addInitScript(() => {
    const blobs = new Map<string, Blob | MediaSource>()
    const create = URL.createObjectURL
    URL.createObjectURL = (blob) => {
      const url = create.call(URL, blob)
      blobs.set(url, blob)
      return url
    }
    Object.assign(globalThis, { blobs })
  })
  await open(`/pages/docs/${path}`)
  await page.locator('iframe').waitFor({ state: 'attached' })
  await page.locator('iframe').waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
  const drawn = await page.locator('.prose .diagram').evaluateAll((diagrams) =>
    Promise.all(
      diagrams.map(async (diagram) => {
        const image = diagram.querySelector('img')
        if (!image) return { error: diagram.querySelector('.diagram-error')?.textContent ?? '' }
        const { blobs } = globalThis as unknown as { blobs: Map<string, Blob> }
        const svg = (await blobs.get(image.src)?.text()) ?? ''
        // Every label is its own text; without its tags, as the browser shows it.
        return { texts: [...svg.matchAll(/<text\b.*?<\/text>/gs)].map(([text]) => text.replace(/<[^>]*>/g, '')) }
      }),
    ),
  )
  return { page, drawn }
}

const decode = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

test('labels of diagrams show their characters: angle brackets, types, quotes and entities', async () => {
  const sources: readonly (readonly [source: string, ...labels: string[]])[] = [
    [
      'flowchart TD\n  A["x > y?"] --> B["List<String>"]\n  B -->|"a < b && c > d"| C{is a<b?}\n  style A fill:#333;',
      'x > y?',
      'List<String>',
      'a < b && c > d',
      'is a<b?',
    ],
    ['graph TD\n  A["say #quot;hi#quot; #35;1 #9829; &lt;b&gt; &quot;q&quot;"]', 'say "hi" #1 ♥ <b> "q"'],
    ['graph TD\n  A("f(#quot;a#quot;)") --> B["`x > **y** Map<K, List<V>>`"]', 'f("a")', 'x > y Map<K, List<V>>'],
    [
      'graph TD\n  A["<script>x</script>"] --> B["<img src=x onerror=y>"]',
      '<script>x</script>',
      '<img src=x onerror=y>',
    ],
    ['%%{init: {"htmlLabels": true}}%%\ngraph TD\n  A["Set<T>"]', 'Set<T>'],
    ['sequenceDiagram\n  A->>B: List<T> is > 1 #quot;q#quot;', 'List<T> is > 1 "q"'],
    [
      'classDiagram\n  class Box~T~ {\n    +get(x: Map<K,V>) T\n  }\n  note for Box "a > b <c>"',
      '+get(x: Map<K,V>) : T',
      'a > b <c>',
      'Box<T>',
    ],
    ['stateDiagram-v2\n  S1 : List<String> #quot;', 'List<String> "'],
    ['erDiagram\n  A ||--o{ B : "x > y <z> #quot;"', 'x > y <z> "'],
    ['gantt\n  title A > B <c> #quot;\n  Task <x> :a1, 2024-01-01, 3d', 'A > B <c> "', 'Task <x> '],
    ['mindmap\n  root((x > y <z>))\n    B["List<String> #quot;"]', 'x > y <z>', 'List<String> "'],
    ['journey\n  title My <day> > x\n  section Go\n    Make tea: 5: Me', 'My <day> > x'],
  ]
  const { drawn } = await draw(
    'labels',
    sources.map(([source]) => source),
  )
  for (const [index, [source, ...labels]] of sources.entries()) {
    const texts = drawn[index]?.texts?.map(decode) ?? [drawn[index]?.error]
    for (const label of labels) assert.ok(texts.includes(label), `${source}\nshows ${JSON.stringify(texts)}`)
  }
})

test('a broken diagram shows its error with the line of its source above the source, and nothing moves', async () => {
  const sources = [
    'graph TD\n  A[Begin --> B',
    '---\ntitle: T\n---\n%% a comment\ngraph TD\n  A --> B\n  %% another\n  A ==== >> B\n  B --> C',
    'pie\n  "a" : x',
    'no diagram',
  ]
  const { page, drawn } = await draw('broken', sources)
  const errors = drawn.map(({ error }) => error)
  assert.match(errors[0] ?? '', /^This diagram cannot be drawn\.\n.*\bline 2\b/)
  assert.match(errors[1] ?? '', /\bline 8\b/)
  assert.match(errors[2] ?? '', /\bline 2, column 9\b/)
  assert.match(errors[3] ?? '', /No diagram type/)
  const first = page.locator('.diagram').first()
  await first.getByRole('group', { name: 'Error of this diagram' }).waitFor()
  assert.equal(await first.locator('pre').last().isVisible(), true)
  assert.equal(await first.locator('pre').last().textContent(), `${sources[0]}\n`)
})
