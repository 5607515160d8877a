import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as library from '@recto/client/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8')

/** The blocks of JavaScript, as one program: imports are replaced by the library, which is passed in. */
function programOf(document: string): string {
  const blocks = [...document.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block ?? '')
  assert.equal(blocks.length, 7)
  // The declarations of the first block are used by the others.
  const [first = '', ...others] = blocks.map((block) =>
    block.replace(/^import (\{.*\}) from '@recto\/client'$/gm, (_, names: string) => `const ${names} = library`),
  )
  return [first, ...others.map((block) => `await (async () => {\n${block}})()`)].join('\n')
}

/** What the blocks take as given. */
function surroundings() {
  const seen: string[] = []
  const createClient = (options: object) =>
    library.createClient({ ...options, url: service.app.address, key: service.admin.key })
  return {
    seen,
    values: {
      library: { ...library, createClient },
      createClient,
      console: { log: (...words: unknown[]) => seen.push(words.join(' ')) },
      process: { env: {} },
      lastCursor: async () => undefined,
      handle: async ({ event }: library.Change) => seen.push(event),
      remember: async () => {
        throw new Error('the reader leaves the loop')
      },
      rawBody: '{}',
      request: { headers: {} },
      secret: 'whsec_eA==',
      response: { writeHead: (status: number) => ({ end: () => seen.push(`status ${status}`) }) },
    },
  }
}

test('the snippets of docs/client.md run', async () => {
  const { seen, values } = surroundings()
  await service.admin.put('/pages/docs/report', '# Old')
  // The loop that follows the feed is the only snippet that has no end.
  const program = programOf(DOCUMENT).replace(
    /await \(async \(\) => \{\n(for await \(const \{ change.*?\n\})\n\}\)\(\)/s,
    'await (async () => {\n$1\n})().catch(({ message }) => console.log(message))',
  )
  const run = new Function(...Object.keys(values), `return (async () => {\n${program}\n})()`)
  await run(...Object.values(values))
  const page = (await service.admin.get('/pages/docs/guide/start', { accept: 'application/json' })).json
  assert.deepEqual([page.version, page.body], [3, '# Start\n\nEnough.'])
  assert.deepEqual(seen, [
    'guide/start Start',
    'report Old',
    'space.created',
    'the reader leaves the loop',
    'status 401',
  ])
})
